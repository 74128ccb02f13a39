/**
 * Sentences of reasons and warnings, in German: those of origins and runs, and what is to be done. The service joins sentences; see
 * `of-service-de.ts` for the signs.
 */
export const originsDe: Readonly<Record<string, string>> = {
  // What happens now, or is to be done.
  'Try again later.': 'Versuchen Sie es später noch einmal.',
  'Run the source again.': 'Starten Sie die Quelle erneut.',
  'Run the source again later.': 'Starten Sie die Quelle später erneut.',
  'Start another run when this is over.': 'Starten Sie danach einen neuen Lauf.',
  'The next run reads it again.': 'Der nächste Lauf liest sie erneut.',
  'The next run reads the file again.': 'Der nächste Lauf liest die Datei erneut.',
  'The next run tries again.': 'Der nächste Lauf versucht es erneut.',
  'This run does not try the file again.': 'Dieser Lauf versucht die Datei nicht noch einmal.',
  'What earlier runs read stays as it is.': 'Was frühere Läufe gelesen haben, bleibt unverändert.',
  'Its rows from earlier runs were kept.': 'Ihre Zeilen aus früheren Läufen sind noch da.',
  'Nothing was changed.': 'Nichts wurde geändert.',
  'Nothing was deleted.': 'Nichts wurde gelöscht.',
  'Nothing was removed.': 'Nichts wurde entfernt.',
  'Nothing was removed; run again later.': 'Nichts wurde entfernt. Starten Sie später einen neuen Lauf.',
  'Other stored pages and an address that does not exist get the same answer, as during maintenance or before a sign-in.':
    'Andere gespeicherte Seiten und eine Adresse, die es nicht gibt, bekommen dieselbe Antwort, wie bei Wartung oder vor einer Anmeldung.',
  'If this is how the site is now, delete the source.': 'Ist die Website nun so, löschen Sie die Quelle.',
  'The stored page stays.': 'Die gespeicherte Seite bleibt.',
  'No file is read.': 'Keine Datei wird gelesen.',
  'The log of the service says more.': 'Mehr steht im Protokoll des Dienstes.',
  'An internal error occurred.': 'Ein innerer Fehler ist aufgetreten.',
  'Upload it again.': 'Laden Sie sie noch einmal hoch.',
  'Check the disk and the rights of the blob store.': 'Prüfen Sie den Datenträger und die Rechte der Ablage.',
  'Choose a smaller part of the origin.': 'Wählen Sie einen kleineren Teil des Ursprungs.',
  'Choose a smaller folder.': 'Wählen Sie einen kleineren Ordner.',
  'Create the source again with a stored secret.': 'Legen Sie die Quelle mit einem gespeicherten Geheimnis neu an.',
  'Check the address of the API, or try again later.':
    'Prüfen Sie die Adresse der API, oder versuchen Sie es später noch einmal.',

  // Origins.
  'There are # such sources already: delete one first.': 'Es gibt schon # solche Quellen: Löschen Sie zuerst eine.',
  'The credential that the source was created with was erased after its first run.':
    'Das Geheimnis, mit dem die Quelle angelegt wurde, wurde nach ihrem ersten Lauf gelöscht.',
  'The credential of this source was erased after its first run.':
    'Das Geheimnis dieser Quelle wurde nach ihrem ersten Lauf gelöscht.',
  'The secret * was deleted.': 'Das Geheimnis * wurde gelöscht.',
  'The origin could not be reached, or its answer could not be used.':
    'Der Ursprung ist nicht erreichbar, oder seine Antwort ist nicht brauchbar.',
  'The origin did not answer in time.': 'Der Ursprung hat nicht rechtzeitig geantwortet.',
  'The service may not send requests to an address of the origin.':
    'Der Dienst darf an eine Adresse des Ursprungs keine Anfragen schicken.',
  'The listing stopped before its end.': 'Die Auflistung hörte vor ihrem Ende auf.',
  'Check the address and the rights of the credential; if the origin is really empty, delete the source.':
    'Prüfen Sie die Adresse und die Rechte des Geheimnisses. Ist der Ursprung wirklich leer, löschen Sie die Quelle.',
  'The file has more than # MiB.': 'Die Datei hat mehr als # MiB.',
  'The file has more than # bytes.': 'Die Datei hat mehr als # Bytes.',
  'The file is larger than # bytes.': 'Die Datei ist größer als # Bytes.',
  'The file was not stored.': 'Die Datei wurde nicht gespeichert.',
  'Delete sources, or ask the operator for a larger quota, then run the source again.':
    'Löschen Sie Quellen, oder bitten Sie den Betreiber um ein größeres Kontingent, und starten Sie die Quelle dann erneut.',
  'The content is hidden.': 'Der Inhalt ist verborgen.',
  'Delete the group again to remove what is left of it.':
    'Löschen Sie die Gruppe noch einmal, um den Rest zu entfernen.',
  'The run was canceled.': 'Der Lauf wurde abgebrochen.',
  'The source group is *: it can run again when its run has ended.':
    'Die Gruppe hat gerade einen Lauf (*): Sie kann erneut laufen, wenn er zu Ende ist.',
  'None of these files has failed.': 'Keine dieser Dateien ist fehlgeschlagen.',
  'The run has ended: *.': 'Der Lauf ist zu Ende: *.',

  // Google Drive.
  'Google Drive could not search everything.': 'Google Drive konnte nicht alles durchsuchen.',
  'The service account key is not JSON.': 'Der Schlüssel des Dienstkontos ist kein JSON.',
  'The service account key has a private_key that is not an RSA key in PEM form.':
    'Der private_key im Schlüssel des Dienstkontos ist kein RSA-Schlüssel in der Form PEM.',
  'The whole folder is listed again.': 'Der ganze Ordner wird erneut aufgelistet.',
  'Give a service account key, or a stored secret that holds one.':
    'Geben Sie einen Schlüssel eines Dienstkontos an oder ein gespeichertes Geheimnis mit einem.',
  'Google marked the file as malware or spam.': 'Google hat die Datei als Schadsoftware oder Spam gekennzeichnet.',
  'The file has no content that could be downloaded.': 'Die Datei hat keinen Inhalt zum Herunterladen.',
  'The file is too large for Google to export (# MB).': 'Die Datei ist zu groß für den Export bei Google (# MB).',
  'The received bytes differ from those that Google Drive had listed.':
    'Die empfangenen Bytes sind andere, als Google Drive angegeben hatte.',
  'The owner of the file does not allow downloads.': 'Der Eigentümer der Datei erlaubt kein Herunterladen.',
  '* files have no text that could be read.': 'In Dateien der Art * steht kein Text zum Lesen.',
  'The address names a file.': 'Die Adresse ist die einer Datei.',
  'Give the address of a folder.': 'Geben Sie die Adresse eines Ordners an.',
  'Folder not found': 'Ordner nicht gefunden',
  'Not a folder': 'Kein Ordner',
  'The folder is in the trash': 'Der Ordner liegt im Papierkorb',
  'Restore the folder at Google Drive, or delete this source.':
    'Stellen Sie den Ordner bei Google Drive wieder her, oder löschen Sie diese Quelle.',
  'The folder does not exist, or it is not shared with the address of the service account.':
    'Den Ordner gibt es nicht, oder er ist nicht für die Adresse des Dienstkontos freigegeben.',
  'The folder or file does not exist, or it is not shared with the address of the service account.':
    'Den Ordner oder die Datei gibt es nicht, oder sie sind nicht für die Adresse des Dienstkontos freigegeben.',
  'The shortcut leads to something that does not exist or is not shared with the service account.':
    'Die Verknüpfung führt zu etwas, das es nicht gibt oder das nicht für das Dienstkonto freigegeben ist.',
  'Google Drive returned the same page twice.': 'Google Drive hat dieselbe Seite zweimal geliefert.',
  'Too many *': 'Zu viele Dateien, Ordner oder Verknüpfungen',
  'The folder holds more than # *.': 'Der Ordner enthält mehr als # Dateien, Ordner oder Verknüpfungen.',
  'The key was deleted, has expired or belongs to a disabled account.':
    'Der Schlüssel wurde gelöscht, ist abgelaufen oder gehört zu einem gesperrten Konto.',
  'Create a new key and store it.': 'Erzeugen Sie einen neuen Schlüssel, und speichern Sie ihn.',
  'Too many requests were made with this service account.': 'Mit diesem Dienstkonto wurden zu viele Anfragen gestellt.',
  'Try again when the quota is renewed, or raise it in the Google Cloud project.':
    'Versuchen Sie es wieder, wenn das Kontingent erneuert ist, oder erhöhen Sie es im Google-Cloud-Projekt.',
  'Enable the Google Drive API in the Google Cloud project of the service account.':
    'Schalten Sie die Google-Drive-API im Google-Cloud-Projekt des Dienstkontos ein.',
  'The service account may not read the folder or file.': 'Das Dienstkonto darf den Ordner oder die Datei nicht lesen.',
  'Share it with the address of the service account.': 'Geben Sie ihn für die Adresse des Dienstkontos frei.',
  'Google Drive answered with status #.': 'Google Drive hat mit dem Status # geantwortet.',
  'Google Drive answered with status # (*).': 'Google Drive hat mit dem Status # (*) geantwortet.',
  'Google answered with something that makes no sense.': 'Google hat unbrauchbar geantwortet.',

  // Page workspaces.
  'Its API answered with status # and no explanation.': 'Seine API hat mit dem Status # ohne Erklärung geantwortet.',
  'Check the address of the page API in the settings.': 'Prüfen Sie die Adresse der API in den Einstellungen.',
  'Give the integration of this token the capability "Read content", or access to this page, then run again.':
    'Geben Sie der Integration dieses Tokens das Recht „Read content“ oder Zugang zu dieser Seite, und starten Sie dann erneut.',
  'Open the page in the workspace and add the integration under "Connections", then run again.':
    'Öffnen Sie die Seite im Arbeitsbereich, fügen Sie die Integration unter „Connections“ hinzu, und starten Sie erneut.',
  'The page has more blocks than the service reads from one page.':
    'Die Seite hat mehr Blöcke, als der Dienst von einer Seite liest.',
  'Divide it into several pages.': 'Teilen Sie sie in mehrere Seiten.',
  'Its API answered with status # (*).': 'Seine API hat mit dem Status # (*) geantwortet.',
  'The page may have blocks that the API does not support.':
    'Vielleicht hat die Seite Blöcke, die die API nicht unterstützt.',
  'Its API answered every request with status # (*).': 'Seine API hat jede Anfrage mit dem Status # (*) beantwortet.',
  'The workspace did not answer in time, in several attempts.':
    'Der Arbeitsbereich hat in mehreren Versuchen nicht rechtzeitig geantwortet.',
  'The connection failed or was interrupted, in several attempts.':
    'Die Verbindung schlug fehl oder brach ab, in mehreren Versuchen.',
  'The integration token is wrong, expired or revoked.':
    'Das Token der Integration ist falsch, abgelaufen oder widerrufen.',
  'Store a valid token and run again.': 'Speichern Sie ein gültiges Token, und starten Sie erneut.',
  'The workspace repeatedly asked for fewer requests.': 'Der Arbeitsbereich hat mehrmals um weniger Anfragen gebeten.',
  'A list returned to an earlier page.': 'Eine Liste kehrte zu einer früheren Seite zurück.',
  'A response did not match the description of its API.': 'Eine Antwort passte nicht zur Beschreibung der API.',
  'Give the source an integration token of the workspace, best as a stored secret.':
    'Geben Sie der Quelle ein Integrationstoken des Arbeitsbereichs, am besten als gespeichertes Geheimnis.',
  'The page token must be an integration token: letters, digits and signs without blanks.':
    'Das Token muss ein Integrationstoken sein: Buchstaben, Ziffern und Zeichen ohne Leerzeichen.',
  'Check page_id, and add the integration to the page under "Connections" in the workspace.':
    'Prüfen Sie page_id, und fügen Sie der Seite im Arbeitsbereich unter „Connections“ die Integration hinzu.',
  'Restore the page in the workspace, or delete this source.':
    'Stellen Sie die Seite im Arbeitsbereich wieder her, oder löschen Sie diese Quelle.',
  "The workspace's file store answered with status #.":
    'Die Dateiablage des Arbeitsbereichs hat mit dem Status # geantwortet.',
  'Pictures, films and sound are not read.': 'Bilder, Filme und Töne werden nicht gelesen.',
  'The database is a linked view of another database, or it is not shared with the integration.':
    'Die Datenbank ist eine verknüpfte Ansicht einer anderen oder nicht für die Integration freigegeben.',
  'A source may have at most # pages.': 'Eine Quelle darf höchstens # Seiten haben.',
  'Choose pages further down and make a source of each.':
    'Wählen Sie Seiten weiter unten, und machen Sie aus jeder eine Quelle.',

  // Repositories.
  'There is no repository *, or the access token may not read it.':
    'Es gibt kein Repository *, oder das Zugriffstoken darf es nicht lesen.',
  'There is no public repository *.': 'Es gibt kein öffentliches Repository *.',
  'A private one needs an access token.': 'Ein privates braucht ein Zugriffstoken.',
  '* has no commits.': '* hat keine Commits.',
  'The history of the repository was rewritten meanwhile.':
    'Die Geschichte des Repositorys wurde inzwischen umgeschrieben.',
  'The access token is wrong, has expired or was revoked.': 'Das Zugriffstoken ist falsch, abgelaufen oder widerrufen.',
  'Store a new one.': 'Speichern Sie ein neues.',
  'GitHub refuses access to the repository, for legal or other reasons.':
    'GitHub verweigert den Zugriff auf das Repository, aus rechtlichen oder anderen Gründen.',
  'The access token may not read this repository.': 'Das Zugriffstoken darf dieses Repository nicht lesen.',
  'Allow it to read contents, and authorize it for single sign-on if required.':
    'Erlauben Sie ihm, Inhalte zu lesen, und geben Sie es, wenn nötig, für Single Sign-on frei.',
  'GitHub answers again from *.': 'GitHub antwortet wieder ab *.',
  'An access token has a much higher limit.': 'Mit einem Zugriffstoken ist die Grenze viel höher.',
  'GitHub did not answer, or its answer was interrupted.': 'GitHub hat nicht geantwortet, oder die Antwort brach ab.',
  '* has more than # files, or too many in one folder.': '* hat mehr als # Dateien, oder zu viele in einem Ordner.',
  'A path filter is one line of at most # characters.': 'Ein Pfadfilter ist eine Zeile mit höchstens # Zeichen.',
  'The access token has characters that no access token has.':
    'Das Zugriffstoken hat Zeichen, die kein Zugriffstoken hat.',
  '# files match; the limit is #.': '# Dateien passen, die Grenze ist #.',
  'Narrow them down with path filters.': 'Grenzen Sie sie mit Pfadfiltern ein.',
  'GitHub sent bytes that do not match the hash of the file.':
    'GitHub hat Bytes geschickt, die nicht zur Prüfsumme der Datei passen.',
  'The archive of the repository is damaged or incomplete.':
    'Das Archiv des Repositorys ist beschädigt oder unvollständig.',

  // Web sites.
  '* fails or asks for a long wait.': '* hat einen Fehler oder bittet um eine lange Pause.',
  'It could not be reached.': 'Sie ist nicht erreichbar.',
  'Without * no page of the site is requested.': 'Ohne * wird keine Seite der Website angefragt.',
  'A path is one line of at most # characters.': 'Ein Pfad ist eine Zeile mit höchstens # Zeichen.',
  'There is nothing to read in *.': 'In * gibt es nichts zu lesen.',
  'The site answered with a web page, not with a * file.':
    'Die Website hat mit einer Webseite geantwortet, nicht mit einer Datei der Art *.',
  'A sign-in page does so, for example.': 'Eine Anmeldeseite tut das zum Beispiel.',
  'The site does not allow programs to read the page.': 'Die Website erlaubt Programmen nicht, die Seite zu lesen.',
  'The redirects of the page return to an earlier address, or do not end.':
    'Die Weiterleitungen der Seite führen zu einer früheren Adresse zurück oder enden nicht.',
  'The page is not shared with the integration.': 'Die Seite ist nicht für die Integration freigegeben.',
  'The page had content before.': 'Die Seite hatte früher einen Inhalt.',
  'The page has more than # bytes.': 'Die Seite hat mehr als # Bytes.',
  'The site answered with a temporary redirect or a refresh, as for maintenance or a sign-in.':
    'Die Website hat mit einer vorläufigen Weiterleitung geantwortet, wie bei Wartung oder Anmeldung.',
  'The next run decides whether the page has moved.': 'Der nächste Lauf entscheidet, ob die Seite umgezogen ist.',
  'The address leads to *.': 'Die Adresse führt zu *.',
  'Crawl that host, or turn off same_host.': 'Lesen Sie diese Website, oder schalten Sie same_host aus.',
  'If the site is gone, delete the source or choose other addresses.':
    'Gibt es die Website nicht mehr, löschen Sie die Quelle, oder wählen Sie andere Adressen.',
  'None of the addresses could be read.': 'Keine der Adressen war lesbar.',
  'The crawl stopped after # page': 'Das Lesen der Website endete nach # Seite',
  'The crawl stopped after # pages': 'Das Lesen der Website endete nach # Seiten',
  '# known addresses were not read.': '# bekannte Adressen wurden nicht gelesen.',
  'The crawl followed the first # links of *, and left # out.': 'Die ersten # Links von * wurden verfolgt, # nicht.',
  'The crawl left # sitemaps out.': '# Sitemaps wurden nicht gelesen.',
  'Crawl parts of the site as sources of their own, with use_sitemap off.':
    'Lesen Sie Teile der Website als eigene Quellen, mit use_sitemap aus.',
  'Add their pages to urls or to a sitemap.': 'Nehmen Sie deren Seiten in urls oder eine Sitemap auf.',
  'A higher max_pages reads more.': 'Ein höheres max_pages liest mehr.',
  'The sitemap is damaged, incomplete or too large.': 'Die Sitemap ist beschädigt, unvollständig oder zu groß.',
  // Behind all that are more exact.
  '* has no *.': 'In * fehlt: *.',
};
