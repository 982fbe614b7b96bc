"""Examples for the help of every command."""

PREDICT_EXAMPLES = """\
examples:
  lengthwise predict '(ab|bbaa)*'
  lengthwise predict PARITY '(aa)*' D_3
  lengthwise predict '[012]*02*' --explain
  lengthwise predict '.*ab.*' --alphabet abc --encoding nope,ape,rope
  lengthwise predict PARITY --pairs 5            words to test a trained model on
  lengthwise predict automaton.json --json > verdicts.json && lengthwise check verdicts.json

exit codes: 0 answered, 2 the input was wrong; with --exit-code also 1 for any NO and 3 for any UNKNOWN"""

CHECK_EXAMPLES = """\
examples:
  lengthwise predict '(ab|bbaa)*' --json > verdicts.json
  lengthwise check verdicts.json
  lengthwise check verdicts.json --for '(ab|bbaa)*'
  lengthwise predict PARITY --json | lengthwise check -
  lengthwise check mine.crasp                     types, names, fragment, depth, what is constant
  lengthwise check mine.crasp --for '(ab)*'       also compare with a language on all short words
  lengthwise check mine.py                        a task of your own; also pairs.jsonl, automaton.json

exit codes: 0 all accepted, 1 some rejected or errors found, 2 the input was wrong"""

RECOMMEND_EXAMPLES = """\
examples:
  lengthwise recommend '(aa)*'
  lengthwise recommend PARITY
  lengthwise recommend '.*ab.*' --alphabet abc
  lengthwise recommend bin_majority --json"""

RUN_EXAMPLES = """\
examples:
  lengthwise run bin_majority parity '(aa)*' --encoding nope,ape --seeds 3 --train-length 12 --test-length 36
  lengthwise run unique_copy --encoding 'nope,alibi,rope(base=500000)' --switch log_n,qk_norm
  lengthwise run experiment.toml
  lengthwise run experiment.toml --resume      after an interruption: only what is missing is trained

Finished models are kept in the store and never trained again. Training needs torch: pip install 'lengthwise[train]'"""

REPORT_EXAMPLES = """\
examples:
  lengthwise report
  lengthwise report runs.sqlite --out report.html --markdown report.md"""

REPRODUCE_EXAMPLES = """\
examples:
  lengthwise reproduce huang2025 --quick                       12 of the 16 cells: those without 12 layers
  lengthwise reproduce huang2025 --quick --dry-run             what is published, what is there, what there is to do
  lengthwise reproduce huang2025 --only unique_copy parity --seeds 10
  lengthwise reproduce huang2025 --quick --out page.html --markdown table.md
  lengthwise reproduce chen2025 --only copy,rope,lbpe --quick      three cells of a grid, small models only
  lengthwise reproduce chen2025 --part first plain                 the grid, with and without the length correction

Finished models are kept in the store and never trained again, so that an interrupted command goes on where it was.
Meant for a GPU; training needs torch: pip install 'lengthwise[train]'"""

LIST_EXAMPLES = """\
examples:
  lengthwise list languages
  lengthwise list tasks
  lengthwise list tasks --why --group arithmetic    every verdict with its witness or source
  lengthwise list programs
  lengthwise list encodings
  lengthwise list encodings --svg encodings.svg    what each does to attention, side by side
  lengthwise list encodings --json"""

SHOW_EXAMPLES = """\
examples:
  lengthwise show language D_3
  lengthwise show language '(ab|bbaa)*' --svg automaton.svg
  lengthwise show task 'add_decimal(reversed)' --length 14 --count 5
  lengthwise show program dyck_1
  lengthwise show encoding rope
  lengthwise show encoding 'randomized(rope, length=2048)'
  lengthwise show encoding alibi --svg alibi.svg --head 2
  lengthwise show theorem balanced_refinement
  lengthwise show bound copy                       a communication matrix, row by row
  lengthwise show paper huang2025                  published figures"""

CONFORM_EXAMPLES = """\
examples:
  lengthwise conform                               all encodings: half a minute
  lengthwise conform rope alibi 'rope(base=500000)'
  lengthwise conform fire --json

Needs torch: pip install 'lengthwise[train]'
exit codes: 0 all checks passed, 1 some failed, 2 the input was wrong"""

CITE_EXAMPLES = """\
examples:
  lengthwise cite                                  lengthwise itself
  lengthwise cite rope 'randomized(fire)' cable
  lengthwise cite huang2025 D_3 unique_copy
  lengthwise cite rope alibi >> references.bib"""

COMPLEXITY_EXAMPLES = """\
examples:
  lengthwise complexity parity_cot                       by scale, without positions, with absolute, relative and ideal ones
  lengthwise complexity repeat_copy --encoding rope,ipe
  lengthwise complexity 'addition(2)' --encoding rpe --scale-hint
  lengthwise complexity parity_cot --exact 2             the fewest operators of any circuit
  lengthwise complexity 'parity_cot_aligned(6)' --svg parity.svg
  lengthwise complexity --all                            every problem, beside the verdicts
  lengthwise complexity --linear '[j - i < 3]'           linear attention by position alone

problems: copy shift(K) reverse sort running_max odds_first copy_every(K) parity parity_cot parity_cot_aligned addition(BASE)
addition_plain addition_padded mul_1xn mul_nxn div_1 div_1_cot increment, or a task that is one of them."""
