"""Rules that need an answer of the real libraries; imported only where they can be asked."""
