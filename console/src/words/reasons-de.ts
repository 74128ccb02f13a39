/**
 * Sentences of reasons and warnings, in German: those of files, databases and tables. The service joins sentences; see `of-service-de.ts`
 * for the signs.
 */
export const reasonsDe: Readonly<Record<string, string>> = {
  // Files.
  '* files cannot be read by this version of Node.js: use # or newer.':
    '*-Dateien sind mit dieser Version von Node.js nicht lesbar: nötig ist # oder neuer.',
  'The file needs # chunks; the limit is #.': 'Die Datei braucht # Chunks, die Grenze ist #.',
  'Files inside are read up to # levels: those attached here were left out.':
    'Enthaltene Dateien werden bis zu # Ebenen tief gelesen: Die hier angehängten wurden ausgelassen.',
  'Archives within archives are opened up to # levels.': 'Archive in Archiven werden bis zu # Ebenen tief geöffnet.',
  'The files inside have more than # MiB.': 'Die enthaltenen Dateien haben mehr als # MiB.',
  'The file contains more than # files.': 'Die Datei enthält mehr als # Dateien.',
  '# * inside cannot be read and were left out.':
    'Enthaltene Dateien, die nicht lesbar sind und ausgelassen wurden: #.',
  'Files inside that expand to more than # times their size were left out: #.':
    'Enthaltene Dateien, die beim Entpacken mehr als #-mal so groß werden und ausgelassen wurden: #.',
  'Files inside that are compressed in a way that cannot be read: #.':
    'Enthaltene Dateien, deren Komprimierung nicht gelesen wird: #.',
  'The archive has # entries; the limit is #.': 'Das Archiv hat # Einträge, die Grenze ist #.',
  'The archive uses a compression that cannot be read.': 'Die Komprimierung des Archivs wird nicht gelesen.',
  'The entry * expands to more than # times its size.': 'Der Eintrag * wird beim Entpacken mehr als #-mal so groß.',
  'The archive expands to more than # MiB.': 'Das Archiv wird beim Entpacken größer als # MiB.',
  'The archive expands too far.': 'Das Archiv wird beim Entpacken zu groß.',
  'The EPUB file names no content.': 'Die EPUB-Datei nennt keinen Inhalt.',
  'The book is protected against copying.': 'Das Buch ist kopiergeschützt.',
  'The file is no FictionBook.': 'Die Datei ist kein FictionBook.',
  '* truncated after # characters.': '* nach # Zeichen abgeschnitten.',
  'Search finds the first # rows of this file.': 'Die Suche findet die ersten # Zeilen dieser Datei.',
  'The other rows are in its table only.': 'Die übrigen Zeilen stehen nur in ihrer Tabelle.',
  'A quote is never closed; the rows after it were read without quoting.':
    'Ein Anführungszeichen wird nie geschlossen: Die Zeilen danach wurden ohne Anführungszeichen gelesen.',
  'The table has a header and no rows.': 'Die Tabelle hat einen Kopf und keine Zeilen.',
  '# line is not valid JSON and kept as text.': '# Zeile ist kein gültiges JSON und bleibt als Text.',
  '# lines are not valid JSON and kept as text.': '# Zeilen sind kein gültiges JSON und bleiben als Text.',
  '* files are read up to # MiB.': '*-Dateien werden bis # MiB gelesen.',
  '* files are read up to # tables.': '*-Dateien werden bis # Tabellen gelesen.',
  '* files are read up to # rows.': '*-Dateien werden bis # Zeilen gelesen.',
  'CSV files with chunk metadata are read up to # MiB.': 'CSV-Dateien mit Metadaten je Chunk werden bis # MiB gelesen.',
  'Sheets of xls and xlsb files are read up to # cells, with the empty ones.':
    'Blätter von xls- und xlsb-Dateien werden bis # Zellen gelesen, die leeren mitgezählt.',
  'Mails are read up to # MiB.': 'E-Mails werden bis # MiB gelesen.',
  'Mailboxes are read up to # MiB.': 'Postfächer werden bis # MiB gelesen.',
  'Signed files are read up to # parts.': 'Signierte Dateien werden bis # Teile gelesen.',
  'The mailbox contains more than # mails.': 'Das Postfach enthält mehr als # E-Mails.',
  'Tables are read up to # rows; this file has #.': 'Tabellen werden bis # Zeilen gelesen, diese Datei hat #.',
  'Tables are read up to # columns.': 'Tabellen werden bis # Spalten gelesen.',
  'The Parquet file is encrypted.': 'Die Parquet-Datei ist verschlüsselt.',
  'Rows are missing after row #.': 'Nach Zeile # fehlen Zeilen.',
  'The SQLite file is damaged (*).': 'Die SQLite-Datei ist beschädigt (*).',
  'The database is in WAL mode: changes that are in its -wal file only were not read.':
    'Die Datenbank ist im WAL-Modus: Änderungen, die nur in ihrer -wal-Datei stehen, wurden nicht gelesen.',
  '# view was not read.': '# Sicht wurde nicht gelesen.',
  '# views were not read.': '# Sichten wurden nicht gelesen.',
  '# virtual table was not read.': '# virtuelle Tabelle wurde nicht gelesen.',
  '# virtual tables were not read.': '# virtuelle Tabellen wurden nicht gelesen.',
  'The page is nested too deeply or too large: its text was taken without structure.':
    'Die Seite ist zu tief verschachtelt oder zu groß: Ihr Text wurde ohne Gliederung übernommen.',
  'They begin with: *.': 'Sie beginnen mit: *.',
  'The page holds little but links.': 'Die Seite hat fast nur Links.',
  'The page only leads to another page.': 'Die Seite führt nur zu einer anderen Seite.',
  'They were kept.': 'Sie wurden behalten.',
  'No words were found in the picture.': 'In dem Bild wurden keine Wörter gefunden.',
  'The file is a picture.': 'Die Datei ist ein Bild.',
  'The words are blurred, turned or handwritten, or it is a drawing.':
    'Die Wörter sind unscharf, gedreht oder handgeschrieben, oder es ist eine Zeichnung.',
  'The chat has ids instead of the names in *, *.':
    'Der Chat zeigt Kennungen statt Namen, denn * konnte nicht gelesen werden.',
  'Pages of the diagram that could not be unpacked: #.': 'Seiten des Diagramms, die nicht entpackt werden konnten: #.',
  'The file is no Outlook message.': 'Die Datei ist keine Outlook-Nachricht.',
  'The file includes *, which is read separately.': 'Die Datei fügt * ein, was getrennt gelesen wird.',
  'The text of the entity * is not known.': 'Der Text der Entity * ist nicht bekannt.',
  'The page includes *, which is read separately.': 'Die Seite fügt * ein, was getrennt gelesen wird.',
  'The file includes *, *.': 'Die Datei fügt * ein; das gelang nicht.',
  'The file is not a Jupyter notebook.': 'Die Datei ist kein Jupyter-Notebook.',
  'A sheet of the file has more than # cells.': 'Ein Blatt der Datei hat mehr als # Zellen.',
  'The package has no document.': 'Das Paket hat kein Dokument.',
  'The file has no presentation.': 'Die Datei hat keine Präsentation.',
  'The presentation has no slides.': 'Die Präsentation hat keine Folien.',
  '# hidden sheet was left out.': '# ausgeblendetes Blatt wurde ausgelassen.',
  '# hidden sheets were left out.': '# ausgeblendete Blätter wurden ausgelassen.',
  '# hidden slide was left out.': '# ausgeblendete Folie wurde ausgelassen.',
  '# hidden slides were left out.': '# ausgeblendete Folien wurden ausgelassen.',
  'The file was read without LibreOffice: its lists and tables are paragraphs.':
    'Die Datei wurde ohne LibreOffice gelesen: Ihre Listen und Tabellen sind Absätze.',
  'The file was read without LibreOffice: bullets and numbers that Word adds are missing.':
    'Die Datei wurde ohne LibreOffice gelesen: Aufzählungszeichen und Nummern, die Word ergänzt, fehlen.',
  'Its hidden text needs LibreOffice, which is not installed; or save the file as docx.':
    'Ihr verborgener Text braucht LibreOffice, das nicht installiert ist. Oder speichern Sie die Datei als docx.',
  'Word # XML is read with LibreOffice, which is not installed; or save the file as docx.':
    'Word # XML wird mit LibreOffice gelesen, das nicht installiert ist. Oder speichern Sie die Datei als docx.',
  'The groups of the RTF file are nested too deeply.': 'Die Gruppen der RTF-Datei sind zu tief verschachtelt.',
  '* no stored value, so nothing was read there.': '* keinen gespeicherten Wert, dort wurde also nichts gelesen.',
  '# cell with a formula has': '# Zelle mit einer Formel hat',
  '# cells with formulas have': '# Zellen mit Formeln haben',
  'Saving the file in a spreadsheet program stores the values.':
    'Speichern in einem Tabellenprogramm speichert auch die Werte.',
  'The file is very long: its text was taken without structure.':
    'Die Datei ist sehr lang: Ihr Text wurde ohne Gliederung übernommen.',
  'The parts of the file expand to too much text.': 'Die Teile der Datei werden beim Entpacken zu viel Text.',
  'Some bytes are not valid text and were replaced.': 'Einige Bytes sind kein gültiger Text und wurden ersetzt.',
  '* left out: empty, damaged, too large or too many.': '* ausgelassen: leer, beschädigt, zu groß oder zu viele.',
  '# attachment was': '# Anhang wurde',
  '# attachments were': '# Anhänge wurden',
  'The file cannot be opened.': 'Die Datei lässt sich nicht öffnen.',
  'The PDF has # pages; the limit is #.': 'Das PDF hat # Seiten, die Grenze ist #.',
  'Words in pictures are read with PINAKES_OCR=tesseract where tesseract is installed.':
    'Mit PINAKES_OCR=tesseract werden Wörter in Bildern gelesen, wenn tesseract installiert ist.',
  'The PDF has no text layer.': 'Das PDF hat keine Textebene.',
  'The PDF has no text layer: its pages are pictures.': 'Das PDF hat keine Textebene: Seine Seiten sind Bilder.',
  '# of # pages is a picture.': '# von # Seiten ist ein Bild.',
  '# of # pages are pictures.': '# von # Seiten sind Bilder.',
  'No words were found in the pictures that are the pages of this PDF.':
    'In den Bildern, aus denen die Seiten dieses PDF bestehen, wurden keine Wörter gefunden.',
  'Only # of # pages that are pictures were read.': 'Nur # von # Seiten, die Bilder sind, wurden gelesen.',
  'The file contains more than # million characters of text.': 'Die Datei enthält mehr als # Millionen Zeichen Text.',
  'The code seems to be minified: its lines have # characters on average.':
    'Der Code scheint komprimiert zu sein: Seine Zeilen haben im Mittel # Zeichen.',
  'The text seems to be encoded data (base# or the like).':
    'Der Text scheint aus kodierten Daten zu bestehen (etwa base#).',
  'The file contains more than # XML elements.': 'Die Datei enthält mehr als # XML-Elemente.',
  'The XML of the file is nested too deeply.': 'Das XML der Datei ist zu tief verschachtelt.',
  '# * of * could not be read as *.': 'Werte, die nicht zum Typ ihres Schlüssels passen: #.',
  'A rule of the redaction policy needs the analyzer of names.':
    'Eine Schwärzungsregel braucht die Erkennung von Namen.',
  'None is configured.': 'Es ist keine eingerichtet.',
  'The file is too large to be read.': 'Die Datei ist zu groß.',
  'Only PDF files have pages that can be shown.': 'Nur PDF-Dateien haben Seiten, die gezeigt werden können.',
  'The file was read, but there are no * in it.': 'Die Datei wurde gelesen, aber es steht nichts darin.',
  'Reading the file took more than # MiB of memory.': 'Das Lesen der Datei brauchte mehr als # MiB Speicher.',
  'The process that read the file crashed twice.': 'Der Prozess, der die Datei las, ist zweimal abgestürzt.',
  'The service stopped while the file was read.': 'Der Dienst hielt an, während die Datei gelesen wurde.',
  'The file contains text that matches a rule of the redaction policy with the action block, so it is not ingested.':
    'Die Datei enthält Text, den eine Schwärzungsregel sperrt, und wird deshalb nicht aufgenommen.',
  'PINAKES_SANDBOX is required, but there is no sandbox on this system (*).':
    'PINAKES_SANDBOX verlangt eine Sandbox, aber dieses System hat keine (*).',
  'LibreOffice could not read the file.': 'LibreOffice konnte die Datei nicht lesen.',
  'The converted file is too large.': 'Die umgewandelte Datei ist zu groß.',
  '* took longer than # s.': '* brauchte länger als # s.',
  '* wrote more than # MiB.': '* schrieb mehr als # MiB.',
  '* could not read the file, or not within its memory.':
    '* konnte die Datei nicht lesen, oder nicht mit seinem Speicher.',
  'A file inside this one could not be written.': 'Eine enthaltene Datei konnte nicht geschrieben werden.',
  'OCR, conversion or the search for names in the file took more than # minutes.':
    'Texterkennung, Umwandlung oder die Suche nach Namen dauerte bei der Datei länger als # Minuten.',
  'The raw file is no longer in the blob store.': 'Die Originaldatei ist nicht mehr in der Ablage.',
  'The system refused to read the raw file.': 'Das System verweigerte das Lesen der Originaldatei.',
  'Reading this file ended the worker # times.': 'Das Lesen dieser Datei hat den Dienst #-mal beendet.',
  'The database refused a value of this file.': 'Die Datenbank hat einen Wert dieser Datei abgelehnt.',
  'The files inside do not fit into the quota of the tenant.':
    'Die enthaltenen Dateien passen nicht in das Kontingent des Mandanten.',
  'With the files inside, the source group would have more than # files.':
    'Mit den enthaltenen Dateien hätte die Gruppe mehr als # Dateien.',
  'With the files inside, the source group would have more than # GiB.':
    'Mit den enthaltenen Dateien hätte die Gruppe mehr als # GiB.',
  '* skipped: the source group has no room for more.': '* ausgelassen: Die Gruppe hat keinen Platz mehr.',
  '# file inside was': '# enthaltene Datei wurde',
  '# files inside were': '# enthaltene Dateien wurden',

  // Databases.
  'Give the source a stored secret of the type database.':
    'Geben Sie der Quelle ein gespeichertes Geheimnis vom Typ database.',
  'The name of a table has the form schema.table, for example public.orders; in MySQL, database.table.':
    'Der Name einer Tabelle hat die Form schema.tabelle, etwa public.orders; in MySQL datenbank.tabelle.',
  'A column is named twice.': 'Eine Spalte ist zweimal genannt.',
  'A table is named twice.': 'Eine Tabelle ist zweimal genannt.',
  'It has more than # MiB of text.': 'Sie hat mehr als # MiB Text.',
  'It has more than # rows.': 'Sie hat mehr als # Zeilen.',
  'A value of the column * has more than # characters.': 'Ein Wert der Spalte * hat mehr als # Zeichen.',
  'Check user and password of the connection URL, and whether the server lets this user in from here.':
    'Prüfen Sie Benutzer und Passwort der Verbindungsadresse und ob der Server diesen Benutzer von hier einlässt.',
  'Check the name at the end of the connection URL, and the rights of the user.':
    'Prüfen Sie den Namen am Ende der Verbindungsadresse und die Rechte des Benutzers.',
  'Switch TLS on at the server.': 'Schalten Sie TLS am Server ein.',
  'If the network in between is yours, add ?sslmode=disable to the connection URL.':
    'Gehört das Netz dazwischen Ihnen, ergänzen Sie ?sslmode=disable in der Verbindungsadresse.',
  'Give the server a certificate of a public authority, or add ?sslmode=require to accept any certificate.':
    'Geben Sie dem Server ein Zertifikat einer öffentlichen Stelle, oder ergänzen Sie ?sslmode=require, um jedes anzunehmen.',
  'Grant SELECT on the table to the user of the connection URL.':
    'Geben Sie dem Benutzer der Verbindungsadresse das Recht SELECT auf die Tabelle.',
  'The server ended the statement.': 'Der Server hat die Abfrage beendet.',
  'Read fewer columns, or a view with fewer rows.': 'Lesen Sie weniger Spalten oder eine Sicht mit weniger Zeilen.',
  'Read fewer columns, or a view with fewer rows, or run the source at a quieter time.':
    'Lesen Sie weniger Spalten oder eine Sicht mit weniger Zeilen, oder zu einer ruhigeren Zeit.',
  'The server shuts down, or has too many connections.': 'Der Server fährt herunter oder hat zu viele Verbindungen.',
  'Check host and port of the connection URL.': 'Prüfen Sie Host und Port der Verbindungsadresse.',
  'A private address works only if the operator allows it in PINAKES_OUTBOUND_ALLOW.':
    'Eine private Adresse geht nur, wenn der Betreiber sie in PINAKES_OUTBOUND_ALLOW erlaubt.',
  'A row is too large to be read.': 'Eine Zeile ist zu groß.',
  'Leave out columns with long texts and files.': 'Lassen Sie Spalten mit langen Texten und Dateien weg.',
  'The database answered with the error *.': 'Die Datenbank hat mit dem Fehler * geantwortet.',
  'There is no table * that the user of the connection URL can see.':
    'Es gibt keine Tabelle *, die der Benutzer der Verbindungsadresse sieht.',
  'The table has no column *.': 'Die Tabelle hat keine Spalte *.',
  'A database secret is a connection URL: * or *.':
    'Das Geheimnis einer Datenbank ist eine Verbindungsadresse: * oder *.',
  'The connection URL names no *.': 'In der Verbindungsadresse fehlt: *.',
  'The host of a connection URL is a name or an address.':
    'Der Host einer Verbindungsadresse ist ein Name oder eine Adresse.',
  'The only parameter of a connection URL is sslmode.': 'Der einzige Parameter einer Verbindungsadresse ist sslmode.',
  'Write # and ? in a password as %# and %#F.':
    'Schreiben Sie im Passwort das Nummernzeichen als %# und das Fragezeichen als %#F.',
  'The sslmode of a connection URL is one of *.': 'sslmode in einer Verbindungsadresse ist eines von *.',
  'The connection URL has a % that begins no encoded character: write it as %#.':
    'Die Verbindungsadresse hat ein %, das kein kodiertes Zeichen beginnt: Schreiben Sie dafür %#.',

  // Tables.
  'Numbers such as #,# can be read in two ways.': 'Zahlen wie #,# lassen sich auf zwei Arten lesen.',
  'Some numbers have a decimal point, others a decimal comma.':
    'Einige Zahlen haben einen Dezimalpunkt, andere ein Dezimalkomma.',
  'The numbers have different units.': 'Die Zahlen haben verschiedene Einheiten.',
  'No date shows whether the day or the month comes first.': 'Kein Datum zeigt, ob der Tag oder der Monat vorn steht.',
  'The source no longer has this table.': 'Die Quelle hat diese Tabelle nicht mehr.',
  'The file has # tables: name one by its index.': 'Die Datei hat # Tabellen: Nennen Sie eine mit ihrer Nummer.',
  'The file has no table there.': 'Dort hat die Datei keine Tabelle.',
  'The columns of the source changed, and the schema policy of the table is freeze.':
    'Die Spalten der Quelle haben sich geändert, und die Tabelle verlangt unveränderte Spalten (freeze).',
  'The columns changed with the last version.': 'Die Spalten haben sich mit der letzten Version geändert.',
  'There are no columns in this table.': 'Diese Tabelle hat keine Spalten.',
  'The table is larger than # MiB.': 'Die Tabelle ist größer als # MiB.',
  'The table has more than # columns.': 'Die Tabelle hat mehr als # Spalten.',
  'The table has more than # rows.': 'Die Tabelle hat mehr als # Zeilen.',
  'The last row is a total.': 'Die letzte Zeile ist eine Summe.',
  'Queries leave it out.': 'Abfragen lassen sie aus.',
  '# cells are longer than #,# characters.': '# Zellen sind länger als #.# Zeichen.',
  '# cells do not have the type of their column.': '# Zellen haben nicht den Typ ihrer Spalte.',
  'The table needs too much memory to be built.': 'Die Tabelle braucht zum Aufbau zu viel Speicher.',
};
