"""Adapters of omniou to training frameworks: import the module of the framework you use."""
