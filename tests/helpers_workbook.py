"""Workbooks by hand: the package that reads them does not write them."""

import zipfile
from xml.sax.saxutils import escape


def workbook(path, sheets):
    """A small .xlsx of rows by name of sheet: text, numbers, truth and blanks."""

    def cell(value, place):
        if value is None:
            return ""
        if isinstance(value, bool):
            return f'<c r="{place}" t="b"><v>{int(value)}</v></c>'
        if isinstance(value, float):
            return f'<c r="{place}"><v>{value}</v></c>'
        return f'<c r="{place}" t="inlineStr"><is><t>{escape(value)}</t></is></c>'

    main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    rel = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    packed = "http://schemas.openxmlformats.org/package/2006"
    book = "application/vnd.openxmlformats-officedocument.spreadsheetml"
    with zipfile.ZipFile(path, "w") as box:
        parts = "".join(
            f'<Override PartName="/xl/worksheets/sheet{i}.xml" ContentType="{book}.worksheet+xml"/>'
            for i in range(1, len(sheets) + 1)
        )
        box.writestr(
            "[Content_Types].xml",
            f'<Types xmlns="{packed}/content-types"><Default Extension="rels" ContentType='
            '"application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" '
            f'ContentType="application/xml"/><Override PartName="/xl/workbook.xml" '
            f'ContentType="{book}.sheet.main+xml"/>{parts}</Types>',
        )
        box.writestr(
            "_rels/.rels",
            f'<Relationships xmlns="{packed}/relationships"><Relationship '
            f'Id="r1" Type="{rel}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
        )
        listed = "".join(
            f'<sheet name="{name}" sheetId="{i}" r:id="r{i}"/>' for i, name in enumerate(sheets, 1)
        )
        box.writestr(
            "xl/workbook.xml",
            f'<workbook xmlns="{main}" xmlns:r="{rel}"><sheets>{listed}</sheets></workbook>',
        )
        links = "".join(
            f'<Relationship Id="r{i}" Type="{rel}/worksheet" Target="worksheets/sheet{i}.xml"/>'
            for i in range(1, len(sheets) + 1)
        )
        box.writestr(
            "xl/_rels/workbook.xml.rels",
            f'<Relationships xmlns="{packed}/relationships">{links}</Relationships>',
        )
        for i, rows in enumerate(sheets.values(), 1):
            body = "".join(
                f'<row r="{r}">'
                + "".join(cell(v, f"{'ABCDEFG'[c]}{r}") for c, v in enumerate(row))
                + "</row>"
                for r, row in enumerate(rows, 1)
            )
            box.writestr(
                f"xl/worksheets/sheet{i}.xml",
                f'<worksheet xmlns="{main}"><sheetData>{body}</sheetData></worksheet>',
            )
