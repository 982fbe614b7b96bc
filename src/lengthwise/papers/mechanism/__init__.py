"""Our experiment on arXiv 2410.02140: does its regularizer bring models nearer to a limit transformer?"""
