"""How large the scores of a rotary head must get to single out one distance exactly, for the bases that people use.

    python benchmarks/look_back.py

The least amplitude of every pair of a head, so that all keys but the one at the wanted distance get weight 0, for inputs up to a
length. It follows from a formula (theorem bounded_look_back), so nothing is timed or trained.
"""

from __future__ import annotations

from lengthwise.theory.precision.look_back import NumberFormat, least_amplitude, longest_look_back, rotary_angles

BASES = {10_000.0: "Llama 1 and 2", 500_000.0: "Llama 3", 1_000_000.0: "Qwen2, Mixtral"}
WIDTHS = (16, 64, 128)
LENGTHS = (512, 2_048, 8_192)
AMPLITUDES = (10.0, 30.0, 100.0)


def main() -> None:
    for number_format in (NumberFormat.FLOAT32, NumberFormat.BFLOAT16, NumberFormat.FLOAT16):
        print(f"{number_format}: least amplitude of each pair, for inputs up to a length")
        print(f"{'base':>12}{'head width':>12}" + "".join(f"{length:>10,}" for length in LENGTHS))
        for base in BASES:
            for width in WIDTHS:
                angles = rotary_angles(base, width)
                cells = [f"{least_amplitude(angles, length, number_format):10.1f}" for length in LENGTHS]
                print(f"{base:12,.0f}{width:12}{''.join(cells)}")
        print()
    print("float32: longest input up to 20,000, for amplitudes of")
    print(f"{'base':>12}{'head width':>12}" + "".join(f"{amplitude:>10.0f}" for amplitude in AMPLITUDES))
    for base in BASES:
        for width in WIDTHS:
            angles = rotary_angles(base, width)
            cells = [f"{longest_look_back(angles, each, NumberFormat.FLOAT32, 20_000):10,}" for each in AMPLITUDES]
            print(f"{base:12,.0f}{width:12}{''.join(cells)}")
    print("\nbases: " + "; ".join(f"{base:,.0f}: {models}" for base, models in BASES.items()))


if __name__ == "__main__":
    main()
