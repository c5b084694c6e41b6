/** Translations of phrases inside details, by their English text; Joi messages by the name of the rule. */
export const phrases: Readonly<Record<string, string>> = {
  // Hosts
  'one host name or address, with or without a port': 'ein Name oder eine Adresse, mit oder ohne Port',
  'http or https': 'http oder https',

  // Webhooks
  'No events are sent to the address {address}. Accepted: the URL of a public host.':
    'An die Adresse {address} werden keine Ereignisse gesendet. Möglich ist die URL eines öffentlichen Hosts.',
  "Changes of '{name}' are not recorded. Recorded: {recorded}":
    'Änderungen von „{name}“ werden nicht aufgezeichnet. Aufgezeichnet: {recorded}',

  // Live collections
  "none, because no type declares 'changes: true'": 'keine, weil kein Typ „changes: true“ deklariert',
  'no page, because a stream contains the whole collection': 'keine Seite, weil ein Stream die ganze Sammlung enthält',

  // Histories
  'the position in the link to the next page': 'die Position im Link zur nächsten Seite',
  'no such parameter here': 'kein solcher Parameter',
  "no such parameter here; a page has up to {limit} changes, and the link 'next' leads to older ones":
    'kein solcher Parameter; eine Seite hat bis zu {limit} Änderungen, und der Link „next“ führt zu älteren',

  // Preconditions
  'the resource has another version; read it again and send its new ETag in If-Match':
    'die Ressource hat eine andere Version; sie muss neu gelesen und ihr neues ETag in If-Match gesendet werden',
  'a new resource has no version': 'eine neue Ressource hat keine Version',
  'the action is of the collection, which has no version; send no If-Match':
    'die Aktion betrifft die Sammlung, die keine Version hat; If-Match muss entfallen',
  'If-None-Match matches the stored version': 'If-None-Match passt zur gespeicherten Version',
  'a batch takes meta.version of each operation in place of If-Match':
    'ein Stapel nimmt statt If-Match die Angabe meta.version jeder Operation',
  "rows of '{type}' cannot be locked; send If-Match: *":
    'Zeilen von „{type}“ können nicht gesperrt werden; möglich ist If-Match: *',

  // Documents
  'it is empty': 'er ist leer',
  'it has more than {levels} nested levels': 'er hat mehr als {levels} verschachtelte Ebenen',
  'its syntax is invalid at line {line}, column {column}': 'die Syntax ist in Zeile {line}, Spalte {column} ungültig',
  'it ends before the value is complete, at line {line}, column {column}':
    'er endet in Zeile {line}, Spalte {column}, bevor der Wert vollständig ist',
  "it has a member '__proto__', which is not accepted": 'er hat eine Angabe „__proto__“, die nicht erlaubt ist',
  'it is incomplete or damaged': 'er ist unvollständig oder beschädigt',
  'its root must be an object': 'die oberste Ebene muss ein Objekt sein',
  '{member} must be an object': '{member} muss ein Objekt sein',
  "the relationship '{relationship}' must have data": 'die Beziehung „{relationship}“ muss data haben',
  'a resource identifier must be an object': 'ein Verweis muss ein Objekt sein',
  'the meta of a resource identifier must be an object': 'meta muss in einem Verweis ein Objekt sein',
  'a resource object': 'eine Ressource',
  'a list of resource identifiers': 'eine Liste von Verweisen',
  'one resource identifier or null': 'ein Verweis oder null',
  'only PATCH, because it is to-one': 'PATCH, weil sie zu höchstens einer Ressource führt',
  "'{id}' does not have the form of an id of type '{type}'.": '„{id}“ hat nicht die Form einer Id vom Typ „{type}“.',

  'the document': 'das Dokument',
  "'{member}' is not allowed here": '„{member}“ ist hier nicht erlaubt',
  "'{member}' is not a valid name of a member here": '„{member}“ ist hier kein gültiger Name',
  "'{member}' must not be both an attribute and a relationship":
    '„{member}“ darf nicht zugleich Attribut und Beziehung sein',
  '{member} must be {what}': '{member} muss {what} sein',
  '{member} needs one of {members}': '{member} braucht eines von {members}',
  "{member} must have '{part}'": '{member} muss „{part}“ haben',
  '{member} must not be empty': '{member} darf nicht leer sein',
  'an object': 'ein Objekt',
  'an array': 'eine Liste',
  'a string': 'ein Text',
  'a boolean': 'true oder false',
  'an object, an array or null': 'ein Objekt, eine Liste oder null',
  'a string, an object or null': 'ein Text, ein Objekt oder null',
  'a string or an array': 'ein Text oder eine Liste',

  // Size of a document
  resources: 'Ressourcen',
  'resource identifiers': 'Verweise',
  characters: 'Zeichen',
  bytes: 'Bytes',
  'the data of one type': 'die Daten eines Typs',
  'its primary data': 'die Hauptdaten',
  'its included data': 'die Daten in included',
  'the linkage of to-one relationships': 'die Verweise auf einzelne Ressourcen',
  "the include path '{path}'": 'der Include-Pfad „{path}“',
  "the relationship '{path}'": 'die Beziehung „{path}“',
  'fewer operations': 'weniger Operationen',
  'a page (page[size]) or a filter of it': 'eine Seite (page[size]) oder ein Filter davon',
  'a page of its related URL': 'eine Seite ihrer related-URL',
  'a smaller page (page[size])': 'eine kleinere Seite (page[size])',
  'a filter that selects fewer resources': 'ein Filter, der weniger Ressourcen auswählt',
  'a shorter include, a smaller page (page[size]) or one page of each relationship (relatedQuery)':
    'ein kürzeres include, eine kleinere Seite (page[size]) oder eine Seite jeder Beziehung (relatedQuery)',
  'a shorter include or a smaller page (page[size])': 'ein kürzeres include oder eine kleinere Seite (page[size])',
  'fewer relationships (fields), a smaller page (page[size]) or one page of each (relatedQuery)':
    'weniger Beziehungen (fields), eine kleinere Seite (page[size]) oder je eine Seite davon (relatedQuery)',
  'fewer relationships (fields) or a smaller page (page[size])':
    'weniger Beziehungen (fields) oder eine kleinere Seite (page[size])',
  'a shorter include, fewer fields (fields) or a smaller page (page[size])':
    'ein kürzeres include, weniger Felder (fields) oder eine kleinere Seite (page[size])',
  'a smaller page (page[size]), a shorter include, fewer fields (fields) or fewer members':
    'eine kleinere Seite (page[size]), ein kürzeres include, weniger Felder (fields) oder weniger Verweise',
  'a shorter include or fewer fields (fields)': 'ein kürzeres include oder weniger Felder (fields)',
  'fewer fields (fields)': 'weniger Felder (fields)',
  'fewer fields (fields) or a smaller page (page[size])':
    'weniger Felder (fields) oder eine kleinere Seite (page[size])',
  'fewer fields (fields) or a filter that selects fewer resources':
    'weniger Felder (fields) oder ein Filter, der weniger Ressourcen auswählt',

  // Parameters
  'a comma list': 'eine Liste, durch Kommas getrennt',
  'a comma-separated list of sort keys': 'eine Liste von Sortierschlüsseln, durch Kommas getrennt',
  none: 'keine',
  'must be a single value': 'er muss ein einzelner Wert sein',
  'must be a list of values': 'er muss eine Liste von Werten sein',
  'must be a range: filter[{key}][min]=… or [max]=…': 'er muss ein Bereich sein: filter[{key}][min]=… oder [max]=…',
  "has no bound '{bound}', only min and max": 'eine Grenze „{bound}“ gibt es nicht, nur min und max',
  "cannot be '{text}'": '„{text}“ ist nicht möglich',
  "cannot be '{text}'; accepted: {accepted}": '„{text}“ ist nicht möglich; erlaubt: {accepted}',
  'contains a NUL character or an unpaired surrogate':
    'er enthält ein NUL-Zeichen oder ein unvollständiges Surrogatpaar',
  'cannot be compared with related rows': 'er kann nicht mit verbundenen Zeilen verglichen werden',
  'is not accepted by this filter': 'er wird von diesem Filter nicht angenommen',
  'is not allowed: {message}': 'er ist nicht erlaubt: {message}',
  '{family}[relation][sort] or [filter][key]': '{family}[relation][sort] oder [filter][key]',
  'must be {what}': 'erwartet wird {what}',
  'a number': 'eine Zahl',
  'a number, for example 12.5': 'eine Zahl, zum Beispiel 12.5',
  'a whole number': 'eine ganze Zahl',
  'one of {values}': 'einer von {values}',
  'an integer from {min} to {max}': 'eine ganze Zahl von {min} bis {max}',
  'true or false': 'true oder false',
  'a UUID': 'eine UUID',
  'a UUID of version {version}': 'eine UUID der Version {version}',
  'like {pattern}': 'ein Text der Form {pattern}',
  "'with' or 'only'": '„with“ oder „only“',
  'a date, for example 2024-02-29': 'ein Datum, zum Beispiel 2024-02-29',
  'a time, for example 12:30:00': 'eine Uhrzeit, zum Beispiel 12:30:00',
  'a date and time with an offset, for example 2024-02-29T12:00:00Z':
    'Datum und Uhrzeit mit Zeitzone, zum Beispiel 2024-02-29T12:00:00Z',
  'a date and time without an offset, for example 2024-02-29T12:00:00':
    'Datum und Uhrzeit ohne Zeitzone, zum Beispiel 2024-02-29T12:00:00',
  'a date, or a date and time, for example 2024-02-29T12:00:00Z':
    'ein Datum, oder Datum und Uhrzeit, zum Beispiel 2024-02-29T12:00:00Z',
  "an id of type '{type}'": 'eine Id vom Typ „{type}“',
  '{values}': '{values}',

  // Filter expressions
  'an expression': 'ein Ausdruck',
  'an attribute': 'Attribut',
  'a relation': 'Beziehung',
  'at character {character} {fault}': 'am Zeichen {character}: {fault}',
  'expected {expected}.': 'erwartet wird {expected}.',
  "'{mark}'": '„{mark}“',
  'the end of the expression': 'das Ende des Ausdrucks',
  'an operator: {operators}': 'ein Operator: {operators}',
  'the name of a relation': 'der Name einer Beziehung',
  'the name of an attribute': 'der Name eines Attributs',
  'a value: a text in single quotes, a number, true or false':
    'ein Wert: ein Text in einfachen Anführungszeichen, eine Zahl, true oder false',
  'a text in single quotes': 'ein Text in einfachen Anführungszeichen',
  'a number without quotes': 'eine Zahl ohne Anführungszeichen',
  'true or false without quotes': 'true oder false ohne Anführungszeichen',
  'the text has no closing quote.': 'dem Text fehlt das schließende Anführungszeichen.',
  "'{operator}' is no operator; accepted: {accepted}": '„{operator}“ ist kein Operator; möglich: {accepted}',
  "'{operator}' does not apply to '{attribute}'; accepted: {accepted}":
    '„{operator}“ passt nicht zu „{attribute}“; möglich: {accepted}',
  "'{relation}' is to-many; accepted: has({relation}, …).":
    '„{relation}“ führt zu mehreren Ressourcen; möglich: has({relation}, …).',

  'The query has {count} parameters; at most {limit} are accepted.':
    'Die Abfrage hat {count} Parameter; erlaubt sind höchstens {limit}.',
  "'{parameter}' has {count} names; at most {limit} are accepted.":
    '„{parameter}“ hat {count} Namen; erlaubt sind höchstens {limit}.',
  "'{parameter}' has {count} characters; at most {limit} are accepted.":
    '„{parameter}“ hat {count} Zeichen; erlaubt sind höchstens {limit}.',
  "'{parameter}' has {count} values; at most {limit} are accepted.":
    '„{parameter}“ hat {count} Werte; erlaubt sind höchstens {limit}.',
  "'{parameter}' has {count} terms; at most {limit} are accepted.":
    '„{parameter}“ hat {count} Bedingungen; erlaubt sind höchstens {limit}.',
  "'{parameter}' has {count} nested levels; at most {limit} are accepted.":
    '„{parameter}“ hat {count} verschachtelte Ebenen; erlaubt sind höchstens {limit}.',
  "'{parameter}' has {count} relations in a row; at most {limit} are accepted.":
    '„{parameter}“ folgt {count} Beziehungen nacheinander; erlaubt sind höchstens {limit}.',
  "'{parameter}' has {count} include paths; at most {limit} are accepted.":
    '„{parameter}“ hat {count} Pfade; erlaubt sind höchstens {limit}.',
  "'{parameter}' has {count} search words; at most {limit} are accepted.":
    '„{parameter}“ hat {count} Suchwörter; erlaubt sind höchstens {limit}.',
  "'{parameter}' has {count} sort keys; at most {limit} are accepted.":
    '„{parameter}“ hat {count} Sortierschlüssel; erlaubt sind höchstens {limit}.',
  '{names}, … and {count} more': '{names}, … und {count} weitere',
  'Accepted: {accepted}': 'Möglich: {accepted}',
  'Repeat the request without it.': 'Ohne ihn ist die Anfrage zu wiederholen.',
  'It needs the profile {profile} in the Accept header.': 'Er braucht das Profil {profile} in der Kopfzeile Accept.',
  'none.': 'keine.',
  '{names}.': '{names}.',
  "{names}. Did you mean '{suggestion}'?": '{names}. Ist „{suggestion}“ gemeint?',

  // The database
  'The database has not stored the resource.': 'Die Datenbank hat die Ressource nicht gespeichert.',
  'The database has not deleted the resource.': 'Die Datenbank hat die Ressource nicht gelöscht.',
  'A resource with the same value already exists.': 'Es gibt schon eine Ressource mit demselben Wert.',
  'A resource with conflicting values already exists.': 'Es gibt schon eine Ressource mit widersprechenden Werten.',
  'Another resource still refers to this one.': 'Eine andere Ressource verweist noch auf diese.',
  'A stored value is not allowed.': 'Ein gespeicherter Wert ist nicht erlaubt.',
  'A rule of the database rejects the write.': 'Eine Regel der Datenbank lehnt das Schreiben ab.',
  'A stored value is too long.': 'Ein gespeicherter Wert ist zu lang.',
  'A stored value refers to a row that does not exist.': 'Ein gespeicherter Wert verweist auf eine fehlende Zeile.',
  'A required value is missing.': 'Ein erforderlicher Wert fehlt.',
  'A value does not fit its column: it is too large, too long or malformed.':
    'Ein Wert passt nicht in seine Spalte: Er ist zu groß, zu lang oder fehlerhaft.',
  'A value for {name} is required.': 'Ein Wert für {name} ist erforderlich.',
  'The value of {name} is already taken.': 'Der Wert von {name} ist schon vergeben.',
  'The combination of {names} is already taken.': 'Die Kombination von {names} ist schon vergeben.',
  'A resource with conflicting values of {names} already exists.':
    'Es gibt schon eine Ressource, deren Werte von {names} widersprechen.',
  'The value of {name} is not allowed.': 'Der Wert von {name} ist nicht erlaubt.',
  'The value of {name} refers to a row that does not exist.': 'Der Wert von {name} verweist auf eine fehlende Zeile.',

  // Batches
  'atomic:operations is missing': 'atomic:operations fehlt',
  'atomic:operations must be a list of at least one operation':
    'atomic:operations muss eine Liste von mindestens einer Operation sein',
  '{member} is not allowed beside atomic:operations': '{member} ist neben atomic:operations nicht erlaubt',
  'it has more than {limit} operations': 'er hat mehr als {limit} Operationen',
  'an operation must be an object': 'eine Operation muss ein Objekt sein',
  'the op is one of {accepted}': 'op ist eines davon: {accepted}',
  '{reason}.': '{reason}.',
  'data is missing': 'data fehlt',
  'data needs a type': 'data braucht einen Typ',
  "'{op}' needs data, a ref or an href": '„{op}“ braucht data, ref oder href',
  'an operation has a ref or an href, not both': 'eine Operation hat ref oder href, nicht beides',
  'a ref needs a type': 'ref braucht einen Typ',
  'a ref needs either an id or a lid': 'ref braucht entweder eine id oder eine lid',
  'the relationship of a ref must be a name': 'relationship muss in ref ein Name sein',
  "'add' of a resource has no ref": '„add“ einer Ressource hat kein ref',
  "'remove' needs a ref or an href": '„remove“ braucht ref oder href',
  "'update' needs a ref, an href, or data with an id or a lid":
    '„update“ braucht ref, href oder data mit einer id oder einer lid',
  'the URL of a collection or of a to-many relationship':
    'die URL einer Sammlung oder einer Beziehung zu vielen Ressourcen',
  'the URL of a resource or of a relationship': 'die URL einer Ressource oder einer Beziehung',
  'the URL of a resource or of a to-many relationship':
    'die URL einer Ressource oder einer Beziehung zu vielen Ressourcen',

  // Rules of fields
  "'{name}' is required.": '„{name}“ ist erforderlich.',
  "'{name}' must not be null.": '„{name}“ darf nicht null sein.',
  "'{name}' must not be empty.": '„{name}“ darf nicht leer sein.',
  "'{name}' must be before {limit}.": '„{name}“ muss vor {limit} liegen.',
  "'{name}' must be after {limit}.": '„{name}“ muss nach {limit} liegen.',
  "'{name}' must not be before {limit}.": '„{name}“ darf nicht vor {limit} liegen.',
  "'{name}' must not be after {limit}.": '„{name}“ darf nicht nach {limit} liegen.',
  "'{name}' must be equal to '{other}'.": '„{name}“ muss gleich „{other}“ sein.',
  "'{name}' must not be equal to '{other}'.": '„{name}“ darf nicht gleich „{other}“ sein.',
  "'{name}' must be greater than '{other}'.": '„{name}“ muss größer als „{other}“ sein.',
  "'{name}' must be greater than or equal to '{other}'.": '„{name}“ darf nicht kleiner als „{other}“ sein.',
  "'{name}' must be less than '{other}'.": '„{name}“ muss kleiner als „{other}“ sein.',
  "'{name}' must be less than or equal to '{other}'.": '„{name}“ darf nicht größer als „{other}“ sein.',
  "'{name}' must have at least {limit} members.": '„{name}“ muss mindestens {limit} Mitglieder haben.',
  "'{name}' must have at most {limit} members.": '„{name}“ darf höchstens {limit} Mitglieder haben.',
  "'{name}' must be one of {accepted}": '„{name}“ muss eines davon sein: {accepted}',
  "Each item of '{name}' must be one of {accepted}": 'Jedes Element von „{name}“ muss eines davon sein: {accepted}',
  "'{label}' must match at least one of its {count} schemas; it matches none.":
    '„{label}“ muss mindestens einem von {count} Schemas entsprechen; es entspricht keinem.',
  "'{label}' must match exactly one of its {count} schemas; it matches {matching}.":
    '„{label}“ muss genau einem von {count} Schemas entsprechen; es entspricht {matching}.',
  "'pivot' must be an object.": '„pivot“ muss ein Objekt sein.',
  '{names} must be unique.': '{names} muss einmalig sein.',
  'At least one of these must be true: {reasons}': 'Mindestens eines davon muss zutreffen: {reasons}',

  // Kinds and columns of attributes
  "'{name}' must be a string.": '„{name}“ muss ein Text sein.',
  "'{name}' must be an integer.": '„{name}“ muss eine ganze Zahl sein.',
  "'{name}' must be an integer, not {sent}.": '„{name}“ muss eine ganze Zahl sein, nicht {sent}.',
  "'{name}' must be a number, not {sent}.": '„{name}“ muss eine Zahl sein, nicht {sent}.',
  "'{name}' must be true or false, not {sent}.": '„{name}“ muss true oder false sein, nicht {sent}.',
  "'{name}' must be an RFC 3339 date and time, for example 2024-02-29T12:00:00Z.":
    '„{name}“ muss Datum und Uhrzeit nach RFC 3339 sein, zum Beispiel 2024-02-29T12:00:00Z.',
  "'{name}' must be an RFC 3339 date and time, for example 2024-02-29T12:00:00Z, or infinity or -infinity.":
    '„{name}“ muss Datum und Uhrzeit nach RFC 3339 sein, zum Beispiel 2024-02-29T12:00:00Z, oder infinity oder -infinity.',
  "'{name}' must be a date in the form YYYY-MM-DD, or infinity or -infinity.":
    '„{name}“ muss ein Datum der Form JJJJ-MM-TT sein, oder infinity oder -infinity.',
  "'{name}' must be a date in the form YYYY-MM-DD.": '„{name}“ muss ein Datum der Form JJJJ-MM-TT sein.',
  "'{name}' must be a time in the form HH:MM:SS.": '„{name}“ muss eine Uhrzeit der Form HH:MM:SS sein.',
  "'{name}' must be an array.": '„{name}“ muss eine Liste sein.',
  "'{name}' must be an object.": '„{name}“ muss ein Objekt sein.',
  "'{name}' must not contain the character U+0000 or an unpaired surrogate.":
    '„{name}“ darf weder das Zeichen U+0000 noch ein halbes Surrogatpaar enthalten.',
  "'{name}' must have at most {maxLength} characters.": '„{name}“ darf höchstens {maxLength} Zeichen lang sein.',
  "'{name}' must be an integer from {min} to {max}.": '„{name}“ muss eine ganze Zahl von {min} bis {max} sein.',
  "'{name}' must be a number from {min} to {max}.": '„{name}“ muss eine Zahl von {min} bis {max} sein.',
  "'{name}' must only have items of the type that its column stores.":
    '„{name}“ darf nur Einträge des Typs haben, den die Spalte speichert.',

  // https://joi.dev/api/#list-of-errors
  'any.required': '„{label}“ ist erforderlich.',
  'any.invalid': '„{label}“ hat einen Wert, der nicht erlaubt ist.',
  'string.base': '„{label}“ muss ein Text sein.',
  'string.empty': '„{label}“ darf nicht leer sein.',
  'string.min': '„{label}“ muss mindestens {limit} Zeichen lang sein.',
  'string.max': '„{label}“ darf höchstens {limit} Zeichen lang sein.',
  'string.pattern.base': '„{label}“ hat nicht die verlangte Form.',
  'string.pattern.name': '„{label}“ hat nicht die Form „{name}“.',
  'string.email': '„{label}“ muss eine E-Mail-Adresse sein.',
  'string.uri': '„{label}“ muss eine Webadresse sein.',
  'string.uriCustomScheme': '„{label}“ muss eine Webadresse sein, die mit {scheme} beginnt.',
  'string.guid': '„{label}“ muss eine UUID sein.',
  'string.ip': '„{label}“ muss eine IP-Adresse sein.',
  'string.ipVersion': '„{label}“ muss eine IP-Adresse der Art {version} sein.',
  'number.base': '„{label}“ muss eine Zahl sein.',
  'number.infinity': '„{label}“ muss eine endliche Zahl sein.',
  'number.integer': '„{label}“ muss eine ganze Zahl sein.',
  'number.unsafe': '„{label}“ ist eine zu große Zahl.',
  'number.min': '„{label}“ darf nicht kleiner als {limit} sein.',
  'number.max': '„{label}“ darf nicht größer als {limit} sein.',
  'number.greater': '„{label}“ muss größer als {limit} sein.',
  'number.less': '„{label}“ muss kleiner als {limit} sein.',
  'number.multiple': '„{label}“ muss ein Vielfaches von {multiple} sein.',
  'boolean.base': '„{label}“ muss true oder false sein.',
  'array.base': '„{label}“ muss eine Liste sein.',
  'array.min': '„{label}“ muss mindestens {limit} Einträge haben.',
  'array.max': '„{label}“ darf höchstens {limit} Einträge haben.',
  'array.unique': '„{label}“ enthält einen Wert zweimal.',
  'object.base': '„{label}“ muss ein Objekt sein.',
  'object.min': '„{label}“ muss mindestens {limit} Einträge haben.',
  'object.max': '„{label}“ darf höchstens {limit} Einträge haben.',
  'object.unknown': '„{label}“ ist nicht erlaubt.',
}
