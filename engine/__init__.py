from engine.openmp import limit_spinning

limit_spinning()  # before any module of the engine imports torch
