"""arith from Python: what the commands answer, as objects with exact values.

>>> from arith import predict
>>> predict("mod_add", modulus=101, train_digits=2).accuracy[4]
Fraction(49, 4950)

May import: theory, verify, printing, commands.  Torch is imported when ``verify`` trains.
"""

from arith.judging import Judged, report, verify
from arith.predicting import Predicted, predict
from theory.errors import Failed, InvalidInput

# In a wheel ``arith.verify`` is a package too, which is loaded by now: the function has the name.
__version__ = "0.1.0"
__all__ = ["Failed", "InvalidInput", "Judged", "Predicted", "predict", "report", "verify"]
