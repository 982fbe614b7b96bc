"""`lengthwise site`: the pages that run in a browser."""

COMMANDS = {
    "build": "write the playground, and the documentation if it is built, into a folder",
}

EXAMPLES = """\
examples:
  lengthwise site build --out public
  lengthwise site build --out public --pyodide package
  lengthwise serve --site public

Any web server can show the folder. The playground runs Python inside the page and needs no server of ours."""
