"""The commands, one module each: ``add_arguments`` declares its arguments, ``run`` does the work, ``EXAMPLES`` ends its help.

The module of a command is imported only when that command runs, so that ``predict`` stays fast and ``--help`` instant.
A package here is a group of commands with a table of its own.
"""

COMMANDS = {
    "predict": "predict whether a task length-generalizes, with the reason and a certificate",
    "recommend": "rank the position encodings for a task, with the reason for each rank",
    "run": "train models and compare them with the prediction",
    "report": "write the report of a store of results",
    "atlas": "show what training was measured to find beside what theory predicts, or place an encoding of your own",
    "reproduce": "repeat the experiments of a paper, published figures beside measured ones",
    "check": "check certificates, a C-RASP program, or a task or an encoding of your own",
    "new": "write a template: a task or an encoding of your own",
    "compare": "say which results of two stores differ by more than chance",
    "watch": "follow a running experiment from a second terminal",
    "store": "list, export, merge and check stores of results",
    "infer": "run the idealized learner on classes small enough to enumerate",
    "relations": "find the positions that a task reads, as equations between them",
    "inspect": "look inside a trained model: positions, limits, margins and attention by length",
    "context": "what the configuration of a language model says about long inputs",
    "probe": "measure which mechanism of a language model breaks at which length",
    "crasp": "run, trace, compare, simplify, find and compile C-RASP programs",
    "serve": "show stores of results, and the site, in a browser on this machine",
    "site": "write the playground, which runs in a browser without a server",
    "list": "list tasks, languages, programs, encodings, theorems, bounds, papers or runs",
    "show": "show one of them in full",
    "complexity": "count the operators a problem needs at each scale, for each kind of positions",
    "conform": "test whether encodings do what their cards declare",
    "completion": "print a script that completes commands in bash or zsh",
    "cite": "print BibTeX for encodings, papers, tasks, languages, a store of results, or lengthwise itself",
}
"""Every command with one line about it; the name is also that of its module."""

DEFAULT_ACTIONS = {"atlas": "page"}
"""What groups do where no action is named."""
