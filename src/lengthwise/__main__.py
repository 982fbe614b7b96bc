"""``python -m lengthwise`` is the command ``lengthwise``."""

import sys

from .cli.main import main

sys.exit(main())
