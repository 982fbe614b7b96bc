from __future__ import annotations

import re
import time
from random import Random

import pytest
from hypothesis import given
from strategies import all_words, random_regex, random_tree, regex_trees, render, words_of

from lengthwise.errors import CapExceededError, LengthwiseError, RegexSyntaxError, UnknownSymbolError
from lengthwise.languages.dfa import DFA
from lengthwise.languages.regex import compile_regex, parse_regex
from lengthwise.languages.regex_tree import Concatenation, Regex, Repetition, Symbols, Union

# Meaning


def assert_same_words_as_python(text: str, alphabet: str, max_length: int, python_text: str | None = None) -> None:
    language = compile_regex(text, alphabet=alphabet)
    pattern = re.compile(text if python_text is None else python_text)
    for word in all_words(alphabet, max_length):
        assert (word in language) == (pattern.fullmatch(word) is not None), (text, word)


@pytest.mark.parametrize(
    ("text", "alphabet"),
    [
        ("ab", "ab"),
        ("a|b", "ab"),
        ("a|", "ab"),
        ("|", "ab"),
        ("()", "ab"),
        ("a()b", "ab"),
        ("()*", "ab"),
        ("(()|a)+", "ab"),
        ("ab|ba*", "ab"),
        ("a(b|ba)*", "ab"),
        ("a*b+a?", "ab"),
        ("a{0}", "ab"),
        ("a{3}", "ab"),
        ("a{2,}b", "ab"),
        ("a{2,4}", "ab"),
        ("a{0,3}b{1}", "ab"),
        ("a{0,1}b{02,003}", "ab"),
        ("(ab){2,3}", "ab"),
        ("(a|bb){2}", "ab"),
        ("(a?b?){2,3}", "ab"),
        ("(a*){2,}", "ab"),
        ("(a{0}){3}b", "ab"),
        ("(a{0,2}b){0,2}", "ab"),
        ("((a{1,2}){2}){1,2}", "ab"),
        ("((a*)*)*", "ab"),
        ("((a*b)*a)*", "ab"),
        ("(a+|b{2,})*", "ab"),
        ("(a|b)*a(a|b){2}", "ab"),
        ("[ab]*b", "ab"),
        ("[aab]", "ab"),
        ("[a-c]*b", "abc"),
        ("[a-a]", "ab"),
        ("[ac-]+", "abc-"),
        ("[-a]+", "a-"),
        ("[a-ce]", "abcde"),
        ("[^a]*", "abc"),
        ("[^a-b]", "abc"),
        ("[a^]+", "a^"),
        ("[.*]+a", "a.*"),
        (".*ab.*", "abc"),
        ("..", "ab"),
        (r"\.a", "a."),
        (r"\*\+\?", "*+?"),
        (r"\(a\)", "a()"),
        (r"\[a\]", "a[]"),
        (r"\{a\}\|", "a{}|"),
        (r"\\a", "\\a"),
        (r"\^\$", "^$"),
        (r"[\]\\]a", "]\\a"),
        (r"[\^a]+", "^a"),
        (r"[a\-c]+", "abc-"),
        ("a b", "a b"),
        ("é|ü*", "éü"),
        ("a}", "a}"),
        ("{a}*", "a{}"),
        ("a{b", "ab{"),
        ("{}", "{}"),
        ("a{}", "a{}"),
        ("a{1,b}", "a1b,{}"),
        ("{a,b}", "ab,{}"),
        ("[{}]*", "{}"),
    ],
)
def test_an_expression_has_the_words_that_python_matches(text: str, alphabet: str) -> None:
    max_length = {1: 9, 2: 7, 3: 6, 4: 5}.get(len(alphabet), 4)
    if alphabet == "a1b,{}":
        assert list("a{1,b}") in compile_regex(text, alphabet=alphabet)  # longer than the words below
    assert_same_words_as_python(text, alphabet, max_length)


@pytest.mark.parametrize("seed", range(6))
def test_random_expressions_have_the_words_that_python_matches(seed: int) -> None:
    rng = Random(seed)
    for _ in range(60):
        assert_same_words_as_python(random_regex(rng, 3, "ab"), "ab", 7)


@pytest.mark.parametrize("seed", range(4))
def test_random_expressions_have_the_words_that_their_trees_describe(seed: int) -> None:
    rng = Random(seed)
    for _ in range(60):
        tree = random_tree(rng, 4, "abc")
        language = compile_regex(render(tree), alphabet="abc")
        assert {word for word in all_words("abc", 5) if word in language} == words_of(tree, 5), render(tree)


@given(regex_trees("ab"))
def test_every_expression_has_the_words_that_its_tree_describes(tree: Regex) -> None:
    language = compile_regex(render(tree), alphabet="ab")
    assert {word for word in all_words("ab", 6) if word in language} == words_of(tree, 6)


@given(regex_trees("a*]-^"))
def test_a_rendered_tree_reads_back_with_the_same_rendering(tree: Regex) -> None:
    assert render(parse_regex(render(tree))) == render(tree)


@pytest.mark.parametrize(
    ("text", "tree"),
    [
        ("a", Symbols(symbols=("a",))),
        ("[cab]", Symbols(symbols=("a", "b", "c"))),
        ("()", Concatenation(parts=())),
        ("a|", Union(parts=(Symbols(symbols=("a",)), Concatenation(parts=())))),
        ("ab", Concatenation(parts=(Symbols(symbols=("a",)), Symbols(symbols=("b",))))),
        ("a{2,}", Repetition(part=Symbols(symbols=("a",)), least=2, most=None)),
        ("a{2}", Repetition(part=Symbols(symbols=("a",)), least=2, most=2)),
        (
            "a*?",
            Repetition(part=Repetition(part=Symbols(symbols=("a",)), least=0, most=None), least=0, most=1),
        ),
    ],
)
def test_an_expression_is_read_as_pure_data(text: str, tree: Regex) -> None:
    assert parse_regex(text) == tree


def test_the_alphabet_defaults_to_the_symbols_used_even_where_they_are_repeated_zero_times() -> None:
    assert compile_regex("ba|c").alphabet == ("a", "b", "c")
    assert compile_regex("(ab){0}c*").alphabet == ("a", "b", "c")
    assert compile_regex("a*", alphabet="cba").alphabet == ("a", "b", "c")


def test_braces_that_open_no_count_are_symbols() -> None:
    assert compile_regex("{0,1,2}").alphabet == (",", "0", "1", "2", "{", "}")
    assert "{0,1,2}" in compile_regex("{0,1,2}")
    assert "a{x}" in compile_regex("a{x}")
    assert "a{" in compile_regex("a{")
    assert "a{2" in compile_regex("a{2")
    assert "a{ 2}" in compile_regex("a{ 2}")
    assert "a{²}" in compile_regex("a{²}")
    assert compile_regex(r"a\{2\}") == compile_regex("[a]\\{2}")


def test_as_many_repeats_and_groups_as_the_caps_allow_are_read() -> None:
    assert compile_regex("a***") == compile_regex("a*")
    assert compile_regex("(" * 40 + "a" + ")*" * 40) == compile_regex("a*")
    assert compile_regex("a{9998}").num_states == 10_000
    assert compile_regex("ab", max_states=4).num_states == 4


@pytest.mark.full
@pytest.mark.parametrize(
    "text", ["a{0,9998}", "(a?){2500}", "(a*){10000}", "a{5000,}", "((a?){100}){20}", "(ab?){3000}"]
)
def test_large_counts_compile_within_two_seconds(text: str) -> None:
    start = time.process_time()
    compile_regex(text)
    assert time.process_time() - start < 2


# Errors

READ = "cannot read the regular expression: "
ALPHABET_HINT = "hint: name the alphabet: alphabet='ab', or --alphabet ab with predict, recommend or crasp synthesize."
DEEP = "(" * 41 + "a" + ")" * 41
LONG = "a{" + "9" * 5000 + "}"


@pytest.mark.parametrize(
    ("text", "message", "hint", "marks"),
    [
        ("", "it is empty.", "write () for the empty word, or an expression such as '(ab)*'.", "^"),
        ("(ab", "this '(' is never closed.", "add the missing ')', or write \\( for the symbol.", "^"),
        ("a(b(c)", "this '(' is never closed.", "add the missing ')', or write \\( for the symbol.", " ^"),
        ("((a", "this '(' is never closed.", "add the missing ')', or write \\( for the symbol.", " ^"),
        ("ab)", "this ')' closes nothing.", "remove it, or write \\) for the symbol.", "  ^"),
        ("(a))*", "this ')' closes nothing.", "remove it, or write \\) for the symbol.", "   ^"),
        (
            "*a",
            "there is nothing to repeat before '*'.",
            "put a symbol or a group before it, or write \\* for the symbol.",
            "^",
        ),
        (
            "a|+",
            "there is nothing to repeat before '+'.",
            "put a symbol or a group before it, or write \\+ for the symbol.",
            "  ^",
        ),
        (
            "a(?b)",
            "there is nothing to repeat before '?'.",
            "put a symbol or a group before it, or write \\? for the symbol.",
            "  ^",
        ),
        (
            "a|{2}",
            "there is nothing to repeat before '{'.",
            "put a symbol or a group before it, or write \\{ for the symbol.",
            "  ^",
        ),
        ("a{3,2}b", "the count {3,2} has its bounds reversed.", "write the smaller number first.", " ^^^^^"),
        ("b[c-a]", "the range c-a is reversed.", "write the smaller symbol first.", "  ^^^"),
        ("[\\]-\\[]", "the range ]-[ is reversed.", "write the smaller symbol first.", " ^^^^^"),
        (
            "[!-\uffff]",
            "the range !-\uffff has more than 10,000 symbols, which is the cap.",
            "use a smaller range.",
            " ^^^",
        ),
        ("a[]", "this class holds no symbol.", "put at least one symbol into the brackets.", " ^^"),
        ("a[bc", "this '[' is never closed.", "add the missing ']', or write \\[ for the symbol.", " ^"),
        ("[^", "this '[' is never closed.", "add the missing ']', or write \\[ for the symbol.", "^"),
        ("[a-", "this '[' is never closed.", "add the missing ']', or write \\[ for the symbol.", "^"),
        ("ab\\", "the expression ends in a backslash.", "write \\\\ for the symbol \\.", "  ^"),
        ("[a\\", "the expression ends in a backslash.", "write \\\\ for the symbol \\.", "  ^"),
        (
            "a\\d",
            "the escape \\d has no meaning here.",
            "write d for the symbol, and classes in full, for example [0-9].",
            " ^^",
        ),
        (
            "(a)\\1",
            "the escape \\1 has no meaning here.",
            "write 1 for the symbol, and classes in full, for example [0-9].",
            "   ^^",
        ),
        (
            "[\\w]",
            "the escape \\w has no meaning here.",
            "write w for the symbol, and classes in full, for example [0-9].",
            " ^^",
        ),
        (
            "^a",
            "'^' is not an anchor here: the whole word must match anyway.",
            "remove it, or write \\^ for the symbol.",
            "^",
        ),
        (
            "a$",
            "'$' is not an anchor here: the whole word must match anyway.",
            "remove it, or write \\$ for the symbol.",
            " ^",
        ),
        ("a]", "this ']' closes nothing.", "remove it, or write \\] for the symbol.", " ^"),
        (
            "a.*",
            "'.' means any symbol, but the alphabet is not given.",
            "name the alphabet: alphabet='ab', or --alphabet ab with predict, recommend or crasp synthesize.",
            " ^",
        ),
        (
            "b[^a]",
            "'[^…]' means all other symbols, but the alphabet is not given.",
            "name the alphabet: alphabet='ab', or --alphabet ab with predict, recommend or crasp synthesize.",
            " ^^^^",
        ),
        (DEEP, "parentheses are nested more than 40 deep.", "flatten the expression.", " " * 40 + "^"),
        ("ba****", "one part is repeated more than 3 times over.", "one repetition is enough.", "     ^"),
        ("a{2}{2}{2}{2}", "one part is repeated more than 3 times over.", "one repetition is enough.", " " * 12 + "^"),
        (
            "a{1000001}",
            "the count is larger than 1,000,000, which is the cap.",
            "use a smaller count.",
            " ^^^^^^^^^",
        ),
        (LONG, "the count is larger than 1,000,000, which is the cap.", "use a smaller count.", " " + "^" * 119),
    ],
)
def test_an_expression_that_cannot_be_read_gets_a_message_a_hint_and_a_mark(
    text: str, message: str, hint: str, marks: str
) -> None:
    with pytest.raises(RegexSyntaxError) as caught:
        compile_regex(text)
    shown = text.replace("\uffff", "?")
    shown = shown if len(shown) <= 120 else f"{shown[:120]}…"
    assert str(caught.value) == f"{READ}{message}\nhint: {hint}\n{shown}\n{marks}"
    assert caught.value.text == text


@pytest.mark.parametrize(("text", "marks"), [("()", "^^"), ("(|())*", "^^^^^^")])
def test_an_expression_without_symbols_needs_an_alphabet(text: str, marks: str) -> None:
    with pytest.raises(RegexSyntaxError) as caught:
        compile_regex(text)
    assert str(caught.value) == (
        f"the expression '{text}' uses no symbol, so its alphabet is unknown.\n{ALPHABET_HINT}\n{text}\n{marks}"
    )
    assert "" in compile_regex(text, alphabet="a")
    assert "a" not in compile_regex(text, alphabet="a")


def test_a_class_that_excludes_the_whole_alphabet_is_empty() -> None:
    with pytest.raises(RegexSyntaxError) as caught:
        compile_regex("a[^ab]", alphabet="ab")
    assert str(caught.value) == (
        f"{READ}this class holds no symbol.\nhint: put at least one symbol into the brackets.\na[^ab]\n ^^^^^"
    )


def test_a_mark_stands_right_where_a_character_cannot_be_printed() -> None:
    with pytest.raises(RegexSyntaxError) as caught:
        compile_regex("a\n\tb)")
    assert str(caught.value).endswith("\na??b)\n    ^")


@pytest.mark.parametrize("text", ["abca", "[a-c]", "[ac]", "[^c]", "a|\\("])
def test_a_symbol_outside_the_alphabet_is_refused(text: str) -> None:
    symbol = "(" if "(" in text else "c"
    with pytest.raises(UnknownSymbolError) as caught:
        compile_regex(text, alphabet="ba")
    assert str(caught.value) == (
        f"symbol {symbol!r} in {text!r} is outside the alphabet {{a, b}}.\n"
        "hint: add it to the alphabet, or use only the symbols named there."
    )


@pytest.mark.parametrize(
    ("text", "num_positions"),
    [("(a{1000}){21}", "21,000"), ("(a|b){10001}", "20,002"), ("a{1000000}", "1,000,000"), ("a{0,20001}", "20,001")],
)
def test_an_expression_with_too_many_positions_is_refused(text: str, num_positions: str) -> None:
    with pytest.raises(CapExceededError) as caught:
        compile_regex(text)
    assert str(caught.value) == (
        f"the expression has {num_positions} symbol positions once its counts are written out; the cap is 20,000.\n"
        "hint: use smaller counts."
    )


@pytest.mark.parametrize(
    ("text", "max_states"), [("(a|b)*a(a|b){13}", 10_000), ("(a|b)*a(a|b){2}", 7), ("ab", 1), ("a{9999}", 10_000)]
)
def test_an_expression_with_too_many_states_is_refused(text: str, max_states: int) -> None:
    with pytest.raises(CapExceededError) as caught:
        compile_regex(text, max_states=max_states)
    assert str(caught.value) == (
        f"the automaton of {text!r} would have more than {max_states:,} states, which is the cap.\n"
        "hint: simplify the expression, or raise the cap with max_states (predict --max-states)."
    )


@pytest.mark.full
def test_an_expression_that_takes_too_many_steps_is_refused() -> None:
    with pytest.raises(CapExceededError) as caught:
        compile_regex("(aa?){5000}")
    assert str(caught.value) == (
        "the automaton of '(aa?){5000}' takes more than 5,000,000 steps to build, which is the cap.\n"
        "hint: use smaller counts."
    )


def outcome(text: str, alphabet: str | None = None) -> DFA | LengthwiseError:
    """Return the language or the error, and fail when that took a second."""
    start = time.process_time()
    try:
        found: DFA | LengthwiseError = compile_regex(text, alphabet=alphabet)
    except LengthwiseError as error:
        found = error
    assert time.process_time() - start < 1, text
    return found


@pytest.mark.parametrize("seed", range(3))
def test_any_text_gives_a_language_or_one_of_our_errors_within_a_second(seed: int) -> None:
    rng = Random(seed)
    characters = "ab()[]{}|*+?.,\\^$-019 é~&/<>R"
    num_languages = 0
    for number in range(1000):
        text = "".join(rng.choices(characters, k=rng.randint(0, 24)))
        found = outcome(text, characters if number % 2 else None)
        assert isinstance(found, DFA) or (found.message and found.hint), text
        num_languages += isinstance(found, DFA)
    assert num_languages > 20


@pytest.mark.parametrize("seed", range(3))
def test_damaged_expressions_give_a_language_or_one_of_our_errors_within_a_second(seed: int) -> None:
    rng = Random(seed)
    for _ in range(500):
        text = random_regex(rng, 3, "ab")
        at = rng.randint(0, len(text))
        text = text[:at] + rng.choice("()[]{}|*+?.\\^$-09~&/<>R") + text[at + rng.randrange(2) :]
        found = outcome(text)
        assert isinstance(found, DFA) or (found.message and found.hint), text
