"""Turn executed chapters into the HTML site and the PDF of one edition."""
