import type { ErrorMessages } from '../messages.ts'
import { phrases } from './phrases.de.ts'

/** German: every code of the catalogue, the statuses of errors without a code, and the phrases of details. */
export const de: ErrorMessages = {
  ...Object.fromEntries(Object.entries(phrases).map(([key, detail]) => [key, { detail }])),

  400: { title: 'Fehlerhafte Anfrage' },
  401: { title: 'Nicht angemeldet' },
  403: { title: 'Nicht erlaubt' },
  404: { title: 'Nicht gefunden' },
  405: { title: 'Methode nicht erlaubt' },
  406: { title: 'Nicht annehmbar' },
  408: { title: 'Fehler' },
  409: { title: 'Konflikt' },
  413: { title: 'Fehler' },
  415: { title: 'Medientyp nicht unterstützt' },
  422: { title: 'Nicht verarbeitbar' },
  429: { title: 'Fehler' },
  500: { title: 'Interner Serverfehler' },
  503: { title: 'Serverfehler' },

  MEDIA_TYPE_UNSUPPORTED: {
    title: 'Der gesendete Medientyp wird nicht unterstützt',
    detail: 'Der Medientyp „{mediaType}“ wird hier nicht unterstützt. Möglich: {accepted}.',
  },
  MEDIA_TYPE_UNACCEPTABLE: {
    title: 'Der verlangte Medientyp ist nicht möglich',
    detail: 'Keiner der Medientypen „{mediaType}“ ist verfügbar. Verfügbar: {available}.',
  },
  HOST_INVALID: {
    title: 'Der Host ist ungültig',
    detail: 'Die Kopfzeile {header} fehlt, steht mehrfach da oder ist fehlerhaft. Möglich: {expected}.',
  },
  HOST_NOT_ALLOWED: {
    title: 'Der Host ist nicht erlaubt',
    detail: 'Der Host „{host}“ gehört nicht zu diesem Dienst.',
  },
  PRECONDITION_FAILED: {
    title: 'Die Vorbedingung ist nicht erfüllt',
    detail: 'Es wurde nichts geändert: {reason}.',
  },
  PRECONDITION_REQUIRED: {
    title: 'Eine Vorbedingung ist nötig',
    detail: 'Änderungen an „{type}“ brauchen If-Match mit dem ETag der Ressource oder mit „*“.',
  },
  REQUEST_BODY_INVALID_JSON: {
    title: 'Die Anfrage enthält kein gültiges JSON',
    detail: 'Der Inhalt der Anfrage ist kein gültiges JSON: {reason}.',
  },
  REQUEST_BODY_INVALID_JSON_API: {
    title: 'Die Anfrage enthält kein gültiges JSON:API-Dokument',
    detail: 'Der Inhalt der Anfrage ist kein JSON:API-Dokument: {reason}.',
  },
  RESPONSE_BODY_INVALID_JSON: {
    title: 'Die Antwort enthält kein gültiges JSON',
    detail: 'Die Antwort, die der Server erzeugt hat, ist kein gültiges JSON.',
  },
  RESPONSE_BODY_INVALID_JSON_API: {
    title: 'Die Antwort enthält kein gültiges JSON:API-Dokument',
    detail: 'Die Antwort, die der Server erzeugt hat, ist kein JSON:API-Dokument: {reason}.',
  },
  REQUIRED_TOP_LEVEL_MEMBERS_MISSING: {
    title: 'Auf der obersten Ebene fehlen Angaben',
    detail: 'Ein Dokument muss auf der obersten Ebene mindestens eines von data, errors und meta haben.',
  },
  TOP_LEVEL_MEMBERS_INCOMPATIBLE: {
    title: 'Die Angaben auf der obersten Ebene schließen einander aus',
    detail: 'Ein Dokument kann auf der obersten Ebene nicht zugleich data und errors haben.',
  },
  DOCUMENT_TOO_LARGE: {
    title: 'Das Dokument ist zu groß',
    detail:
      'Das Dokument hätte mehr als {limit} {counted}. Die Grenze ist überschritten durch: {part}. Stattdessen möglich: {accepted}.',
  },
  TOP_LEVEL_MEMBER_NOT_ALLOWED: {
    title: 'Eine Angabe auf der obersten Ebene ist nicht erlaubt',
    detail: 'Ein Dokument ohne data kann auf der obersten Ebene kein included haben.',
  },
  DATA_MEMBER_MISSING: {
    title: 'Auf der obersten Ebene des Dokuments fehlt `data`',
    detail: 'Das Dokument braucht data mit folgendem Inhalt: {expected}.',
  },
  RESOURCE_TYPE_MISSING: {
    title: 'Der Typ der Ressource fehlt',
    detail: 'Eine Ressource muss type haben, einen Text, der nicht leer ist.',
  },
  RESOURCE_ID_MISSING: {
    title: 'Die Id der Ressource fehlt',
    detail: 'Die Ressource einer Änderung muss eine id haben.',
  },
  RESOURCE_ID_INVALID: {
    title: 'Die Id der Ressource ist ungültig',
    detail: 'Die id einer Ressource muss ein Text sein.',
  },
  RESOURCE_IDENTIFIER_TYPE_MISSING: {
    title: 'Der Typ eines Verweises fehlt',
    detail: 'Ein Verweis auf eine Ressource muss type haben.',
  },
  RESOURCE_IDENTIFIER_TYPE_INVALID: {
    title: 'Der Typ eines Verweises ist ungültig',
    detail: 'type muss in einem Verweis ein Text sein, der nicht leer ist.',
  },
  RESOURCE_IDENTIFIER_ID_MISSING: {
    title: 'Die Id eines Verweises fehlt',
    detail: 'Ein Verweis auf eine Ressource muss id haben.',
  },
  RESOURCE_IDENTIFIER_ID_INVALID: {
    title: 'Die Id eines Verweises ist ungültig',
    detail: 'id muss in einem Verweis ein Text sein, der nicht leer ist.',
  },
  RESOURCE_IDENTIFIER_LID_INVALID: {
    title: 'Die lokale Id eines Verweises ist ungültig',
    detail: 'lid muss in einem Verweis ein Text sein, der nicht leer ist.',
  },
  LOCAL_ID_NOT_SUPPORTED: {
    title: 'Eine lokale Id wird nicht unterstützt',
    detail: 'Die lokale Id „{lid}“ ist nur in einem Stapel von Operationen möglich.',
  },
  LOCAL_ID_NOT_FOUND: {
    title: 'Lokale Id nicht gefunden',
    detail: 'Keine frühere Operation hat eine Ressource vom Typ „{type}“ mit der lokalen Id „{lid}“ angelegt.',
  },
  LOCAL_ID_CONFLICT: {
    title: 'Lokale Id mehrfach vergeben',
    detail: 'Die lokale Id „{lid}“ vom Typ „{type}“ wird von zwei Operationen vergeben.',
  },
  RELATIONSHIP_TYPE_INAPPROPRIATE: {
    title: 'Die Art der Beziehung ist unpassend',
    detail: 'Die Beziehung „{relationship}“ nimmt nur dies an: {expected}.',
  },
  LINKAGE_TOO_LARGE: {
    title: 'Die Liste der Verweise ist zu lang',
    detail: 'Die Beziehung „{relationship}“ hat {count} Verweise; eine Anfrage darf höchstens {limit} haben.',
  },
  CLIENT_GENERATED_ID_NOT_SUPPORTED: {
    title: 'Eine eigene Id wird nicht unterstützt',
    detail: 'Ressourcen vom Typ „{type}“ bekommen ihre Id vom Server; sie ist wegzulassen.',
  },
  CLIENT_GENERATED_ID_REQUIRED: {
    title: 'Eine eigene Id ist erforderlich',
    detail: 'Eine neue Ressource vom Typ „{type}“ muss eine Id haben, die der Client vergibt.',
  },
  CLIENT_GENERATED_ID_ALREADY_EXISTS: {
    title: 'Die eigene Id ist schon vergeben',
    detail: 'Es gibt schon eine Ressource vom Typ „{type}“ mit der Id „{id}“.',
  },
  RESOURCE_ID_CONFLICT: {
    title: 'Die Id passt nicht',
    detail: 'Die Id „{id}“ im Dokument ist nicht die Id in der URL; beide müssen gleich sein.',
  },
  RESOURCE_TYPE_UNACCEPTABLE: {
    title: 'Der Typ passt nicht',
    detail: 'Der Typ „{type}“ ist hier nicht möglich. Möglich: {expected}',
  },
  CONFLICT: { title: 'Konflikt', detail: '{reason}' },
  RESOURCE_NOT_FOUND: {
    title: 'Ressource nicht gefunden',
    detail: 'Es gibt keine Ressource vom Typ „{type}“ mit der Id „{id}“.',
  },
  RELATIONSHIP_NOT_EXISTS: {
    title: 'Die verlangte Beziehung gibt es nicht',
    detail: 'Ressourcen vom Typ „{type}“ haben hier keine Beziehung „{relationship}“. Beziehungen: {accepted}',
  },
  QUERY_PARAM_UNRECOGNIZED: {
    title: 'Unbekannter Parameter',
    detail: 'Der Parameter „{parameter}“ ist hier unbekannt. {hint}',
  },
  QUERY_PARAM_MALFORMED: {
    title: 'Der Parameter hat die falsche Form',
    detail: 'Der Parameter „{parameter}“ hat die falsche Form. Möglich: {expected}.',
  },
  QUERY_TOO_LARGE: { title: 'Die Abfrage ist zu groß', detail: '{reason}' },
  RESOURCE_ID_UNDECODABLE: {
    title: 'Die Id kann nicht entschlüsselt werden',
    detail: '„{id}“ ist keine gültige Id einer Ressource vom Typ „{type}“.',
  },
  VALIDATION_FAILED: { title: 'Nicht verarbeitbar', detail: '{message}' },
  ATTRIBUTE_VALUE_INVALID: {
    title: 'Der Wert eines Attributs ist ungültig',
    detail: 'Der Wert des Attributs „{attribute}“ kann nicht gespeichert werden.',
  },
  RELATED_ATTRIBUTE_OWNER_MISSING: {
    title: 'Der Träger des Attributs fehlt',
    detail: 'Das Attribut „{attribute}“ wird in einer verbundenen Ressource gespeichert, die es nicht gibt.',
  },
  APPLICATION_ERROR: {
    title: 'Fehler der Anwendung',
    detail: 'Zu Methode und Ziel der Anfrage gibt es keine Operation.',
  },
  NO_RESOURCE_REGISTERED: {
    title: 'Kein solcher Ressourcentyp',
    detail: 'Dieser Server hat keinen Ressourcentyp „{type}“.',
  },
  FULL_REPLACEMENT_PROHIBITED: {
    title: 'Ersetzen ist nicht erlaubt',
    detail: 'Die Mitglieder der Beziehung „{relationship}“ können nicht ersetzt werden.',
  },
  ADDITION_PROHIBITED: {
    title: 'Hinzufügen ist nicht erlaubt',
    detail: 'Der Beziehung „{relationship}“ können keine Mitglieder hinzugefügt werden.',
  },
  REMOVAL_PROHIBITED: {
    title: 'Entfernen ist nicht erlaubt',
    detail: 'Aus der Beziehung „{relationship}“ können keine Mitglieder entfernt werden.',
  },
  ATOMIC_OPERATIONS_INVALID: {
    title: 'Der Stapel von Operationen ist ungültig',
    detail: 'Der Stapel kann nicht gelesen werden: {reason}',
  },
  ATOMIC_TARGET_TYPE_UNKNOWN: {
    title: 'Der Typ, von dem die Operation handelt, ist unbekannt',
    detail: 'Es gibt hier keinen Ressourcentyp „{type}“. Typen: {accepted}',
  },
  ATOMIC_OPERATION_NOT_EXPOSED: {
    title: 'Die Operation wird nicht angeboten',
    detail: 'Diese Operation wird für Ressourcen vom Typ „{type}“ nicht angeboten.',
  },
  ACTION_NOT_FOUND: {
    title: 'Die Aktion gibt es nicht',
    detail: '„{type}“ hat hier keine Aktion „{action}“. Aktionen: {accepted}',
  },
  RESOURCE_NOT_TRASHED: {
    title: 'Die Ressource liegt nicht im Papierkorb',
    detail: 'Die Ressource „{id}“ vom Typ „{type}“ ist nicht gelöscht und kann daher nicht wiederhergestellt werden.',
  },
  RESTORE_CONFLICT: {
    title: 'Ein eindeutiger Wert ist vergeben',
    detail:
      'Die Ressource „{id}“ vom Typ „{type}“ kann nicht wiederhergestellt werden: Eine andere Ressource hat einen ihrer eindeutigen Werte. Diese muss zuerst geändert oder gelöscht werden.',
  },
  ATOMIC_HREF_UNRESOLVABLE: {
    title: 'Das Ziel der Operation ist nicht zu finden',
    detail: 'href ist keine URL dieses Servers, die die Operation „{op}“ annimmt. Erlaubt: {accepted}.',
  },
  ATOMIC_OPERATIONS_NOT_SUPPORTED: {
    title: 'Stapel werden nicht unterstützt',
    detail: 'Ressourcen vom Typ „{type}“ werden einzeln geschrieben, weil sich das nicht zurücknehmen lässt.',
  },
  ATOMIC_OPERATIONS_UNAVAILABLE: {
    title: 'Stapel sind nicht verfügbar',
    detail: 'Ein Stapel kann nicht zurückgenommen werden: Die Anwendung speichert ihre Ressourcen ohne Transaktionen.',
  },
  ASYNC_WRITE_IN_ATOMIC_OPERATION: {
    title: 'Spätere Ausführung ist in einem Stapel nicht erlaubt',
    detail:
      'Ressourcen vom Typ „{type}“ werden asynchron geschrieben, was in einem Stapel nicht möglich ist; eine eigene Anfrage ist nötig.',
  },
  RELATIONSHIP_COUNT_NOT_ALLOWED: {
    title: 'Hier kann nicht gezählt werden',
    detail: 'Nicht zählbar: {names}. Hier zählbar: {countable}',
  },
  CURSOR_MALFORMED: {
    title: 'Die Lesemarke ist ungültig',
    detail:
      'Die Lesemarke in {parameter} ist ungültig. Zu senden ist eine aus einem Link dieser Sammlung, unverändert.',
  },
  CURSOR_STALE: {
    title: 'Die Lesemarke ist veraltet',
    detail:
      'Die Lesemarke in {parameter} gehört zu einer anderen Sortierung. Möglich sind die erste Seite oder das sort ihres Links.',
  },
  FILTERING_UNRECOGNIZED: {
    title: 'Unbekannter Filter',
    detail: 'Nach „{filter}“ kann nicht gefiltert werden. Filter hier: {accepted}',
  },
  FILTER_VALUE_INVALID: {
    title: 'Der Wert des Filters ist ungültig',
    detail: 'Der Wert des Filters „{filter}“ ist ungültig: {reason}.',
  },
  FILTER_EXPRESSION_INVALID: {
    title: 'Der Filterausdruck ist ungültig',
    detail: 'Der Ausdruck von „{filter}“ ist am Zeichen {character} ungültig: {reason}',
  },
  FILTER_EXPRESSION_NAME_UNRECOGNIZED: {
    title: 'Unbekannter Name in einem Filterausdruck',
    detail:
      '„{name}“ am Zeichen {character} ist für „{filter}“ nicht als {what} des Typs „{type}“ bekannt. Möglich: {accepted}',
  },
  INCLUSION_UNRECOGNIZED: {
    title: 'Unbekannte Einbindung',
    detail: 'Nicht einzubinden: {paths}. Eine solche Beziehung gibt es nicht. Möglich: {accepted}',
  },
  INCLUSION_NOT_ALLOWED: {
    title: 'Die Einbindung ist nicht erlaubt',
    detail: 'Das Einbinden von {paths} ist nicht erlaubt. Möglich: {accepted}',
  },
  INCLUSION_DEPTH_EXCEEDED: {
    title: 'Die Einbindung ist zu tief',
    detail: 'Nicht einzubinden: {paths}. Ein Pfad kann höchstens {maxDepth} Beziehungen haben.',
  },
  INCLUSION_UNSUPPORTED: {
    title: 'Einbindungen werden nicht unterstützt',
    detail: 'Der Parameter include ist hier nicht möglich, weil die Antwort keine Ressourcen enthält.',
  },
  LIVE_UNAVAILABLE: {
    title: 'Kein Stream unter dieser URL',
    detail: 'Streams (text/event-stream) gibt es für Sammlungen und Ressourcen dieser Typen: {types}.',
  },
  LIVE_COLLECTION_TOO_LARGE: {
    title: 'Die Sammlung ist zu groß für einen Stream',
    detail:
      'Ein Stream enthält die ganze Sammlung, höchstens {limit} Ressourcen. Ein Filter muss weniger Ressourcen auswählen.',
  },
  LIVE_STREAMS_EXCEEDED: {
    title: 'Zu viele Streams',
    detail: 'Höchstens {limit} Streams können gleichzeitig offen sein. Zuerst muss ein anderer geschlossen werden.',
  },
  LIVE_PROCESS_FULL: {
    title: 'Zu viele Streams in diesem Prozess',
    detail:
      'Der Prozess hat {limit} offene Streams. Später erneut versuchen: Ein anderer Prozess hat vielleicht weniger.',
  },
  API_KEY_SCOPE_UNKNOWN: {
    title: 'Unbekannter Geltungsbereich',
    detail: 'Unbekannt: {scopes}. Geltungsbereiche: {accepted}',
  },
  IDEMPOTENCY_KEY_INVALID: {
    title: 'Ungültiger Idempotenzschlüssel',
    detail: 'Idempotency-Key muss 1 bis 255 sichtbare ASCII-Zeichen haben, mit oder ohne doppelte Anführungszeichen.',
  },
  IDEMPOTENCY_KEY_REQUIRED: {
    title: 'Der Idempotenzschlüssel fehlt',
    detail:
      'Schreibvorgänge des Typs „{type}“ brauchen den Header Idempotency-Key: 1 bis 255 sichtbare ASCII-Zeichen, etwa eine zufällige UUID.',
  },
  IDEMPOTENCY_KEY_NOT_ACCEPTED: {
    title: 'Ein Idempotenzschlüssel ist hier nicht möglich',
    detail:
      'Die Antwort auf diesen Schreibvorgang des Typs „{type}“ zeigt ein Geheimnis nur einmal und wird nicht mit einem Schlüssel gespeichert. Den Schreibvorgang in einer Anfrage ohne Idempotency-Key senden.',
  },
  IDEMPOTENCY_KEY_REUSED: {
    title: 'Der Idempotenzschlüssel wurde für eine andere Anfrage verwendet',
    detail:
      'Der Schlüssel wurde für eine Anfrage mit anderem Inhalt, anderer Query oder anderem Accept-Header verwendet. Eine neue Anfrage braucht einen neuen Schlüssel.',
  },
  IDEMPOTENCY_KEY_IN_USE: {
    title: 'Der Idempotenzschlüssel wird gerade verwendet',
    detail:
      'Eine Anfrage mit diesem Schlüssel wird noch bearbeitet. Die Anfrage nach den Sekunden in Retry-After wiederholen.',
  },
  IDEMPOTENT_RESPONSE_TOO_LARGE: {
    title: 'Die Antwort ist zu groß für einen Idempotenzschlüssel',
    detail:
      'Die Antwort hat {bytes} Bytes, und höchstens {limit} werden mit einem Schlüssel gespeichert. Weniger Felder, Einbindungen oder Operationen anfordern, oder Idempotency-Key weglassen.',
  },
  PAGINATION_KIND_UNKNOWN: {
    title: 'Diese Art zu blättern wird nicht unterstützt',
    detail: 'Unbekannte Art zu blättern: „{kind}“. Hier möglich: {kinds}',
  },
  SORTING_UNRECOGNIZED: {
    title: 'Unbekannte Sortierung',
    detail: 'Ressourcen vom Typ „{type}“ können nicht nach „{parameter}“ sortiert werden. Sortierbar: {sortable}',
  },
  SORTING_UNSUPPORTED: {
    title: 'Sortieren wird nicht unterstützt',
    detail: 'Diese Anfrage unterstützt „{parameter}“ nicht: ohne den Parameter wiederholen.',
  },
  FIELDSET_MEMBER_UNRECOGNIZED: {
    title: 'Unbekanntes Feld',
    detail: 'Ressourcen vom Typ „{type}“ haben diese Felder nicht: {members}. Vorhanden: {available}',
  },
}
