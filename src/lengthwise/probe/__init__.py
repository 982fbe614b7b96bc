"""Which mechanism of a language model breaks at which length: paired tasks, one that theory allows and one that it forbids."""
