"""Other people's libraries on the same rows; each may live in an environment of its own."""

import time

import numpy as np

from benchmarks.scale.laws import places

TEST = 20_000


def _told(made, wrong, begun):
    """CPU seconds of the training (``begun`` to ``made``) and the errors in per cent."""
    return {"cpu s": round(made - begun, 2), "errors %": round(100 * float(np.mean(wrong)), 2)}


def lightgbm_300k():
    """LightGBM, 300 trees, one thread."""
    import lightgbm

    X, y = places(300_000)
    options = {"objective": "binary", "num_threads": 1, "verbose": -1}
    begun = time.process_time()
    model = lightgbm.train(options, lightgbm.Dataset(X, y > 0), num_boost_round=300)
    made = time.process_time()
    fresh, truth = places(TEST, seed=1)
    return _told(made, (model.predict(fresh) > 0.5) != (truth > 0), begun)


def sklearn_nystroem_300k():
    """scikit-learn's Nystroem(500) and SGD with a hinge."""
    from sklearn.kernel_approximation import Nystroem
    from sklearn.linear_model import SGDClassifier
    from sklearn.pipeline import make_pipeline

    X, y = places(300_000)
    model = make_pipeline(
        Nystroem(gamma=0.5, n_components=500, random_state=0),
        SGDClassifier(alpha=1e-6, random_state=0),
    )
    begun = time.process_time()
    model.fit(X, y)
    made = time.process_time()
    fresh, truth = places(TEST, seed=1)
    return _told(made, model.predict(fresh) != truth, begun)


def liquidsvm_300k(n=300_000):
    """liquidSVM 1.0.1 in its own cells, at our bandwidth and price.

    Its package asks for a setting that Python dropped in 3.11; it is put back for it. It chooses
    among settings, too, but took no short list of ours.
    """
    import sysconfig

    sysconfig.get_config_vars()["SO"] = sysconfig.get_config_var("EXT_SUFFIX")
    import liquidSVM

    X, y = (part.astype(float) for part in places(n))
    fresh, truth = (part.astype(float) for part in places(TEST, seed=1))
    begun = time.process_time()
    model = liquidSVM.mcSVM(
        X, y, display=0, threads=1, mc_type="AvA_hinge", useCells=True, gammas=[1.414],
        lambdas=[1.0 / (2 * 2000)], folds=2,
    )  # fmt: skip
    made = time.process_time()
    return _told(made, model.test(fresh, truth)[0][:, 0] != truth, begun)
