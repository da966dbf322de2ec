from engine.native.instructions import limit_libraries
from engine.native.openmp import limit_spinning

# Before any module of the engine imports torch.
limit_spinning()
limit_libraries()
