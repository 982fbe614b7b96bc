"""Problems: a plain-Python oracle, a vectorised sampler and the facts that theory needs, all on one object.

- ``core``: what a task and a family are, the catalogue of names, circuit problems and bounds by name, what samplers share.
- ``counting``, ``copying``, ``ordering``, ``retrieval``, ``arithmetic``, ``scratchpads``, ``languages``, ``tracking``,
  ``reasoning``, ``in_context``: the families. The circuit, the hard sets and the program of a task stand beside its class.
- ``formats``: other ways of writing a task's instances. ``hard``: hard instances of tasks.
- ``user``: tasks in files of your own, and the process that runs their code.
"""
