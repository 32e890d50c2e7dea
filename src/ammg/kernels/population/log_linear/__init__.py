"""Log-linear models of a key: fitted by iterative proportional fitting, turned into risk, tested for fit.

Skinner and Shlomo (2008), Assessing Identification Risk in Survey Microdata Using Log-Linear Models, JASA 103.
"""
