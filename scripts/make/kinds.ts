/** A kind of attribute: source fragments for `make:resource` and values for tests. */
export interface Kind {
  /** The property of the entity. */
  readonly property: string
  /** The constant that holds the values of an enum. */
  readonly list?: string
  /** The builder of the declaration. */
  readonly word: string
  /** Words after the builder. */
  readonly rules?: string
  /** The default of the column; without it a field must be required or nullable. */
  readonly default?: string
  /** Sortable without the word `:sort`, with an index. */
  readonly sortable?: true
  /** The value in factories: source in which `n` is a number; default: a text. */
  readonly row?: string
  /** A valid value in a request. */
  readonly sample: (name: string) => unknown
}

/** The kinds by the name in `title:string`. */
export const kinds: Readonly<Record<string, Kind>> = {
  string: {
    property: 'string().length(255)',
    word: 'string',
    rules: '.maxLength(255)',
    default: `default('')`,
    sample: (name) => `Some ${name}`,
  },
  text: { property: 'text()', word: 'string', default: `default('')`, sample: (name) => `Some ${name}` },
  email: {
    property: 'string().length(254)',
    word: 'email',
    rules: '.maxLength(254)',
    row: `\`person-\${n}@example.com\``,
    sample: () => 'ada@example.com',
  },
  url: { property: 'text()', word: 'url', row: `\`https://example.com/\${n}\``, sample: () => 'https://example.com/' },
  slug: { property: 'string().length(255)', word: 'slug', rules: '.maxLength(255)', sample: () => 'some-slug' },
  uuid: { property: 'uuid()', word: 'uuid', sample: () => '0b9f3bb4-5b7c-4f5a-9d3c-1c2c3f4d5e6f' },
  ip: { property: 'string().length(45)', word: 'ip', row: `'192.0.2.1'`, sample: () => '192.0.2.1' },
  integer: { property: 'integer()', word: 'integer', default: 'default(0)', sample: () => 7 },
  decimal: {
    property: `decimal('number').precision(12).scale(2)`,
    word: 'decimal',
    default: 'default(0)',
    sample: () => 7.25,
  },
  boolean: { property: 'boolean()', word: 'boolean', default: 'default(false)', sample: () => true },
  dateTime: {
    property: 'datetime(3)',
    word: 'dateTime',
    default: `defaultRaw('now()')`,
    sortable: true,
    sample: () => '2026-01-01T12:00:00+00:00',
  },
  date: {
    property: 'date()',
    word: 'date',
    default: `defaultRaw('current_date')`,
    sortable: true,
    sample: () => '2026-01-01',
  },
  time: { property: 'time()', word: 'time', sample: () => '12:00:00' },
  list: { property: 'array()', word: 'arrayList', default: 'default([])', sample: () => ['one', 'two'] },
  object: {
    property: 'json<Record<string, unknown>>()',
    word: 'arrayHash',
    default: `defaultRaw("'{}'")`,
    sample: () => ({ one: 1 }),
  },
}
