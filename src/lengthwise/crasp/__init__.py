"""C-RASP[periodic, local] as a language: syntax, meaning, checks, tools, a library of programs and a learner."""
