/** A kind of attribute: source fragments for `make -- resource` and values for tests. */
export interface Kind {
  /** The property of the entity. */
  readonly property: string
  /** The constant that holds the values of an enum. */
  readonly list?: string
  /** The builder of the declaration. */
  readonly builder: string
  /** Modifiers after the builder. */
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
    builder: 'string',
    rules: '.maxLength(255)',
    default: `default('')`,
    sample: (name) => `Some ${name}`,
  },
  text: { property: 'text()', builder: 'string', default: `default('')`, sample: (name) => `Some ${name}` },
  email: {
    property: 'string().length(254)',
    builder: 'email',
    rules: '.maxLength(254)',
    row: `\`person-\${n}@example.com\``,
    sample: () => 'ada@example.com',
  },
  url: {
    property: 'text()',
    builder: 'url',
    row: `\`https://example.com/\${n}\``,
    sample: () => 'https://example.com/',
  },
  slug: { property: 'string().length(255)', builder: 'slug', rules: '.maxLength(255)', sample: () => 'some-slug' },
  uuid: { property: 'uuid()', builder: 'uuid', sample: () => '0b9f3bb4-5b7c-4f5a-9d3c-1c2c3f4d5e6f' },
  ip: { property: 'string().length(45)', builder: 'ip', row: `'192.0.2.1'`, sample: () => '192.0.2.1' },
  integer: { property: 'integer()', builder: 'integer', default: 'default(0)', sample: () => 7 },
  decimal: {
    property: `decimal('number').precision(12).scale(2)`,
    builder: 'decimal',
    default: 'default(0)',
    sample: () => 7.25,
  },
  boolean: { property: 'boolean()', builder: 'boolean', default: 'default(false)', sample: () => true },
  dateTime: {
    property: 'datetime(3)',
    builder: 'dateTime',
    default: `defaultRaw('now()')`,
    sortable: true,
    sample: () => '2026-01-01T12:00:00+00:00',
  },
  date: {
    property: 'date()',
    builder: 'date',
    default: `defaultRaw('current_date')`,
    sortable: true,
    sample: () => '2026-01-01',
  },
  time: { property: 'time()', builder: 'time', sample: () => '12:00:00' },
  list: { property: 'array()', builder: 'arrayList', default: 'default([])', sample: () => ['one', 'two'] },
  object: {
    property: 'json<Record<string, unknown>>()',
    builder: 'arrayHash',
    default: `defaultRaw("'{}'")`,
    sample: () => ({ one: 1 }),
  },
}
