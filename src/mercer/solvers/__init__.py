"""Problems with quadratic objectives and boxes, and the compiled solver for them."""
