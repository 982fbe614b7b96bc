"""Intersection, complement, reversal, quotients and symbols with names, in the syntax of regular expressions."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given, settings
from strategies import (
    all_words,
    operator_trees,
    random_operator_tree,
    regex_texts,
    regex_trees,
    render,
    show_symbol,
    words_of,
)

from lengthwise.errors import CapExceededError, RegexSyntaxError, UnknownSymbolError
from lengthwise.languages import regex_tree
from lengthwise.languages.dfa import DFA
from lengthwise.languages.dfa_algebra import left_quotient_by, reverse, right_quotient_by
from lengthwise.languages.regex import compile_regex
from lengthwise.languages.regex_compilation import compile_tree
from lengthwise.languages.regex_parser import parse_regex

A, B, C = (regex_tree.Symbols(symbols=(symbol,)) for symbol in "abc")


def over_ab(text: str) -> DFA:
    return compile_regex(text, alphabet="ab")


# Meaning


@pytest.mark.parametrize("seed", range(3))
def test_random_expressions_have_the_words_that_their_trees_describe(seed: int) -> None:
    rng = Random(seed)
    for _ in range(250):
        tree = random_operator_tree(rng, rng.randint(1, 4), "ab")
        language = over_ab(render(tree))
        assert {word for word in all_words("ab", 4) if word in language} == words_of(tree, 4), render(tree)


@settings(max_examples=150)
@given(operator_trees("ab"))
def test_every_expression_has_the_words_that_its_tree_describes(tree: regex_tree.Regex) -> None:
    language = over_ab(render(tree))
    assert {word for word in all_words("ab", 4) if word in language} == words_of(tree, 4)


@pytest.mark.full
@pytest.mark.parametrize("seed", range(10, 20))
def test_many_random_expressions_have_the_words_that_their_trees_describe(seed: int) -> None:
    rng = Random(seed)
    for _ in range(400):
        tree = random_operator_tree(rng, rng.randint(1, 3), "abc")
        language = compile_regex(render(tree), alphabet="abc")
        assert {word for word in all_words("abc", 4) if word in language} == words_of(tree, 4, "abc"), render(tree)


@given(operator_trees("a~&/<>^R"))
def test_a_rendered_tree_reads_back_with_the_same_rendering(tree: regex_tree.Regex) -> None:
    assert render(parse_regex(render(tree))) == render(tree)


@given(regex_trees("ab"))
def test_the_compiler_of_all_operators_agrees_with_that_of_ordinary_expressions(tree: regex_tree.Regex) -> None:
    assert regex_tree.is_plain(tree)
    assert compile_tree(
        regex_tree.Complement(part=regex_tree.Complement(part=tree)), ("a", "b"), "", 10_000
    ) == over_ab(render(tree))


@given(operator_trees("ab"))
def test_turning_a_tree_around_reverses_its_language_and_leaves_no_reversal_on_the_way(tree: regex_tree.Regex) -> None:
    assert compile_tree(regex_tree.reversed_tree(tree), ("a", "b"), "", 10_000) == reverse(over_ab(render(tree)))


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("a&b", "~(a|~a)"),
        ("(a&b)*", "()"),
        ("(a&b)+", "a&b"),
        ("a(a&b)*b", "ab"),
        ("a(a&b)b|a", "a"),
        ("(~a)*", "~a"),
        ("[ab]*&~([ab]*aa[ab]*)", "(b|ab)*a?"),
        ("~(~a~b)", "a&b"),
        ("(aab)^R", "baa"),
        ("(a*b)^R", "ba*"),
        ("(ab)^R*", "(ba)*"),
        ("((ab)*/b)^R", "a(ba)*"),
        ("aab/ab", "a"),
        ("aab/b*", "aa|aab"),
        ("a*b*/b", "a*b*"),
        ("a*//a*b", "a*b"),
        ("(ab)*/b", "(ab)*a"),
        ("b//(ba)*", "a(ba)*"),
        ("a/b", "a&b"),
        ("a/()", "a"),
        ("()//a", "a"),
        ("a/(a&b)", "a&b"),
    ],
)
def test_two_expressions_have_one_language(text: str, same: str) -> None:
    assert over_ab(text) == over_ab(same)


def test_a_complement_is_taken_in_the_alphabet_at_hand() -> None:
    assert compile_regex("~(a*)").accepting == frozenset()
    assert "b" in over_ab("~(a*)")
    assert "c" in compile_regex("~(a|b)", alphabet="abc")
    assert compile_regex("~a&b").alphabet == ("a", "b")


# Laws


@given(regex_texts(), regex_texts())
def test_de_morgan_holds_in_the_syntax(one: str, two: str) -> None:
    assert over_ab(f"~(({one})&({two}))") == over_ab(f"~({one})|~({two})")
    assert over_ab(f"~({one}|{two})") == over_ab(f"~({one})&~({two})")


@given(regex_texts())
def test_two_complements_and_two_reversals_are_none(text: str) -> None:
    assert over_ab(f"~~({text})") == over_ab(text)
    assert over_ab(f"({text})^R^R") == over_ab(text)


@given(regex_texts(), regex_texts())
def test_the_syntax_agrees_with_the_algebra(one: str, two: str) -> None:
    left, right = over_ab(one), over_ab(two)
    assert over_ab(f"({one})&({two})") == left & right
    assert over_ab(f"~({one})") == ~left
    assert over_ab(f"({one})^R") == reverse(left)
    assert over_ab(f"({one})/({two})") == right_quotient_by(left, right)
    assert over_ab(f"({two})//({one})") == left_quotient_by(left, right)


@given(regex_texts(), regex_texts())
def test_reversal_turns_concatenations_and_quotients_around(one: str, two: str) -> None:
    assert over_ab(f"(({one})({two}))^R") == over_ab(f"({two})^R({one})^R")
    assert over_ab(f"(({one})/({two}))^R") == over_ab(f"({two})^R//({one})^R")


@settings(max_examples=60)
@given(regex_texts(), regex_texts(), regex_texts())
def test_quotients_are_taken_one_after_the_other(one: str, two: str, three: str) -> None:
    assert over_ab(f"(({one})/({two}))/({three})") == over_ab(f"({one})/(({three})({two}))")
    assert over_ab(f"({three})//(({two})//({one}))") == over_ab(f"(({two})({three}))//({one})")
    assert over_ab(f"({two})//(({one})/({three}))") == over_ab(f"(({two})//({one}))/({three})")


# Precedence


@pytest.mark.parametrize(
    ("text", "tree"),
    [
        ("~a", regex_tree.Complement(part=A)),
        ("~~a", regex_tree.Complement(part=regex_tree.Complement(part=A))),
        ("~a*", regex_tree.Complement(part=regex_tree.Repetition(part=A, least=0, most=None))),
        ("(~a)*", regex_tree.Repetition(part=regex_tree.Complement(part=A), least=0, most=None)),
        ("~ab", regex_tree.Concatenation(parts=(regex_tree.Complement(part=A), B))),
        ("a~b", regex_tree.Concatenation(parts=(A, regex_tree.Complement(part=B)))),
        ("~(ab)", regex_tree.Complement(part=regex_tree.Concatenation(parts=(A, B)))),
        ("~a^R", regex_tree.Complement(part=regex_tree.Reversal(part=A))),
        ("ab^R", regex_tree.Concatenation(parts=(A, regex_tree.Reversal(part=B)))),
        ("a*^R", regex_tree.Reversal(part=regex_tree.Repetition(part=A, least=0, most=None))),
        ("a^R*", regex_tree.Repetition(part=regex_tree.Reversal(part=A), least=0, most=None)),
        ("a^Rb", regex_tree.Concatenation(parts=(regex_tree.Reversal(part=A), B))),
        ("a&b|c", regex_tree.Union(parts=(regex_tree.Intersection(parts=(A, B)), C))),
        ("a|b&c", regex_tree.Union(parts=(A, regex_tree.Intersection(parts=(B, C))))),
        ("a&b&c", regex_tree.Intersection(parts=(A, B, C))),
        ("ab&c", regex_tree.Intersection(parts=(regex_tree.Concatenation(parts=(A, B)), C))),
        ("a&~b", regex_tree.Intersection(parts=(A, regex_tree.Complement(part=B)))),
        ("a/b", regex_tree.RightQuotient(whole=A, end=B)),
        ("a//b", regex_tree.LeftQuotient(beginning=A, whole=B)),
        ("ab/c", regex_tree.RightQuotient(whole=regex_tree.Concatenation(parts=(A, B)), end=C)),
        ("a//bc", regex_tree.LeftQuotient(beginning=A, whole=regex_tree.Concatenation(parts=(B, C)))),
        ("a/b&c", regex_tree.Intersection(parts=(regex_tree.RightQuotient(whole=A, end=B), C))),
        ("a&b//c", regex_tree.Intersection(parts=(A, regex_tree.LeftQuotient(beginning=B, whole=C)))),
        ("a/b|c", regex_tree.Union(parts=(regex_tree.RightQuotient(whole=A, end=B), C))),
        ("(a/b)/c", regex_tree.RightQuotient(whole=regex_tree.RightQuotient(whole=A, end=B), end=C)),
        (r"\<a>", A),
        (r"\<open>", regex_tree.Symbols(symbols=("open",))),
        (r"[\<open>c]", regex_tree.Symbols(symbols=("c", "open"))),
        (r"\<a\>b>", regex_tree.Symbols(symbols=("a>b",))),
        ("<b>", regex_tree.Concatenation(parts=tuple(regex_tree.Symbols(symbols=(symbol,)) for symbol in "<b>"))),
        ("[~&/>]", regex_tree.Symbols(symbols=("&", "/", ">", "~"))),
        (
            r"\~\&\/<\>\^",
            regex_tree.Concatenation(parts=tuple(regex_tree.Symbols(symbols=(symbol,)) for symbol in "~&/<>^")),
        ),
    ],
)
def test_every_operator_binds_as_the_table_of_the_syntax_says(text: str, tree: regex_tree.Regex) -> None:
    assert parse_regex(text) == tree


# Symbols with names

NAMES = {"a": "open", "b": "a>b\\", "c": "c"}


@given(operator_trees("abc"))
def test_symbols_with_names_are_symbols_like_others(tree: regex_tree.Regex) -> None:
    def renamed(part: regex_tree.Regex) -> str:
        text = render(part)
        for symbol in "ab":
            text = text.replace(symbol, symbol.upper())  # R is the only other letter of the syntax
        return text.replace("A", show_symbol(NAMES["a"])).replace("B", show_symbol(NAMES["b"]))

    plain = compile_regex(render(tree), alphabet="abc")
    named = compile_regex(renamed(tree), alphabet=NAMES.values())
    for word in all_words("abc", 3):
        assert (word in plain) == ([NAMES[symbol] for symbol in word] in named)


def test_the_alphabet_defaults_to_the_names_used() -> None:
    language = compile_regex(r"(\<open>[\<close>\<skip>])*x")
    assert language.alphabet == ("close", "open", "skip", "x")
    assert ["open", "skip", "x"] in language
    assert ["open", "open", "x"] not in language
    assert ["close"] in compile_regex(r"[^\<open>]", alphabet=["open", "close"])
    assert ["open"] in compile_regex(".", alphabet=["open", "close"])


def test_a_name_outside_the_alphabet_is_refused() -> None:
    with pytest.raises(UnknownSymbolError) as caught:
        compile_regex(r"\<open>", alphabet="op")
    assert str(caught.value) == (
        "symbol 'open' in '\\\\<open>' is outside the alphabet {o, p}.\n"
        "hint: add it to the alphabet, or use only the symbols named there."
    )


# Errors


@pytest.mark.parametrize(
    ("text", "message", "hint", "marks"),
    [
        ("a&", "nothing stands after this '&'.", "write () for the empty word, or \\& for the symbol.", " ^"),
        ("&a", "nothing stands before this '&'.", "write () for the empty word, or \\& for the symbol.", "^"),
        ("a&&b", "nothing stands after this '&'.", "write () for the empty word, or \\& for the symbol.", " ^"),
        ("(a|&b)", "nothing stands before this '&'.", "write () for the empty word, or \\& for the symbol.", "   ^"),
        ("a&b&|c", "nothing stands after this '&'.", "write () for the empty word, or \\& for the symbol.", "   ^"),
        ("/a", "nothing stands before this '/'.", "write () for the empty word, or \\/ for the symbol.", "^"),
        ("(a/)", "nothing stands after this '/'.", "write () for the empty word, or \\/ for the symbol.", "  ^"),
        ("a//", "nothing stands after this '//'.", "write () for the empty word, or \\/ for the symbol.", " ^^"),
        ("a///b", "nothing stands after this '//'.", "write () for the empty word, or \\/ for the symbol.", " ^^"),
        (
            "a/b/c",
            "this quotient follows another one.",
            "group one of the two, for example (x/y)/z, or write \\/ for the symbol.",
            "   ^",
        ),
        (
            "a//b//c",
            "this quotient follows another one.",
            "group one of the two, for example (x/y)/z, or write \\/ for the symbol.",
            "    ^",
        ),
        (
            "a~",
            "nothing stands after this '~'.",
            "put a symbol or a group after it, or write \\~ for the symbol.",
            " ^",
        ),
        (
            "(~~|a)",
            "nothing stands after this '~'.",
            "put a symbol or a group after it, or write \\~ for the symbol.",
            "  ^",
        ),
        (
            "~*",
            "there is nothing to repeat before '*'.",
            "put a symbol or a group before it, or write \\* for the symbol.",
            " ^",
        ),
        ("~~~~a", "one part is complemented more than 3 times over.", "two complements are none.", "   ^"),
        ("a^R^R^R^R", "one part is reversed more than 3 times over.", "two reversals are none.", "        ^"),
        ("a*^R*^R*^R*", "one part is repeated more than 3 times over.", "one repetition is enough.", " " * 10 + "^"),
        (
            "ab^2",
            "this '^' is not followed by R; ^R reverses what stands before it, and there are no anchors.",
            "write ^R to reverse, remove the sign, or write \\^ for the symbol.",
            "  ^",
        ),
        (
            "^R",
            "'^' is not an anchor here: the whole word must match anyway.",
            "remove it, or write \\^ for the symbol.",
            "^",
        ),
        (r"a\<b", r"this '\<' is never closed.", "add the missing '>', or write < for the symbol.", " ^^"),
        (r"\<open*\<close>", r"this '\<' is never closed.", "add the missing '>', or write < for the symbol.", "^^"),
        (r"[ab\<]", r"this '\<' is never closed.", "add the missing '>', or write < for the symbol.", "   ^^"),
        (r"a\<>", r"this '\<>' names no symbol.", "put a name into it, or write <> for the symbols.", " ^^^"),
        ("\\<a\\", "the expression ends in a backslash.", "write \\\\ for the symbol \\.", "   ^"),
        (
            r"[\<open>-c]",
            r"the range \<open>-c needs symbols of one character.",
            "name the symbols one after the other.",
            " ^^^^^^^^^",
        ),
    ],
)
def test_an_operator_out_of_place_gets_a_message_a_hint_and_a_mark(
    text: str, message: str, hint: str, marks: str
) -> None:
    with pytest.raises(RegexSyntaxError) as caught:
        compile_regex(text)
    assert str(caught.value) == f"cannot read the regular expression: {message}\nhint: {hint}\n{text}\n{marks}"


@pytest.mark.parametrize("text", ["~()", "()&()", "()^R", "()/()"])
def test_an_expression_without_symbols_needs_an_alphabet(text: str) -> None:
    with pytest.raises(RegexSyntaxError) as caught:
        compile_regex(text)
    assert caught.value.message == f"the expression '{text}' uses no symbol, so its alphabet is unknown."
    assert (("a" in compile_regex(text, alphabet="a")), ("" in compile_regex(text, alphabet="a"))) == (
        (True, False) if text == "~()" else (False, True)
    )


CAP_HINT = "simplify the expression, or raise the cap with max_states (predict --max-states)."


@pytest.mark.full
@pytest.mark.parametrize(
    ("text", "max_states", "reason"),
    [
        (
            "(a|b)*a(a|b){13}&a*",
            10_000,
            "the automaton of a part would have more than 10,000 states, which is the cap.",
        ),
        ("~(a{3}b)", 4, "the automaton of a part would have more than 4 states, which is the cap."),
        (
            "(a{7})*&(a{11})*",
            76,
            "a product of languages with 7 and 11 states would have more than 76 states, which is the cap.",
        ),
        (
            "~((a{7})*)|(a{11})*",
            76,
            "a product of languages with 7 and 11 states would have more than 76 states, which is the cap.",
        ),
        (
            "[ab]*//([ab]{3}a)*",
            9,
            "a left quotient of a language with 5 states needs more than 9 states, which is the cap.",
        ),
        (
            "(a{1009})*/(a{1013})*",
            10_000,
            "a right quotient of languages with 1,009 and 1,013 states looks at more than 1,000,000 pairs of states, "
            "which is the cap.",
        ),
        (
            "(~(ab)){7000}",
            10_000,
            "the expression has 28,000 symbol positions once its counts are written out; the cap is 20,000.",
        ),
    ],
)
def test_an_expression_that_passes_a_cap_is_refused(text: str, max_states: int, reason: str) -> None:
    with pytest.raises(CapExceededError) as caught:
        compile_regex(text, max_states=max_states)
    assert str(caught.value) == f"the automaton of {text!r} cannot be built: {reason}\nhint: {CAP_HINT}"


def test_as_many_states_as_the_cap_allows_are_built() -> None:
    assert compile_regex("(a{7})*&(a{11})*", max_states=77).num_states == 77


def test_operators_nest_as_deep_as_parentheses_may() -> None:
    deep = "a"
    for _ in range(40):
        deep = f"~~~({deep})*+?^R^R^R/()&[ab]*|b"
    assert compile_regex(deep).num_states > 1
    assert compile_regex("~(" * 40 + "ab" + ")b" * 40).num_states > 1
