"""Writers of docs/generated/: one module per kind of page, all of them fed by the registries."""
