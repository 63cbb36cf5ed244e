#!/usr/bin/env python
import sys

from yatzy_site.manage import run

if __name__ == "__main__":
    run(sys.argv)
