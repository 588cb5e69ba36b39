"""What the functions that follow from declarations consist of: `python -m omniou._catalogue.write` writes them."""
