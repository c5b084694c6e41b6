import type { ErrorDefinition, ErrorFactory } from '../errors/errors.ts'
import type { Awaitable } from '../lib/awaitable.ts'
import type { Links } from '../lib/link.ts'
import type { LruMap } from '../lib/lru-map.ts'
import type { Builders, Declared, IdBuilder, RowBuilders } from './builders.ts'
import type { ShownFields, SortTerm } from './columns.ts'
import type { Condition } from './condition.ts'
import type { EntityShape } from './entity-shape.ts'
import type { EntityClass, RecordOf } from './entity-types.ts'
import type { Attribute, Field, Id, Relation, Row } from './field.ts'
import type { ResourceKeys } from './modifiers.ts'
import type { Caller } from './principal.ts'
import type { RowFilter } from './store-types.ts'
import type { OperationName, Shape } from './url-shape.ts'

/** The declaration of a resource, type-checked against the entity. */
export interface ResourceDeclaration<Entity> extends ResourceKeys<Entity> {
  /** The JSON:API type: letters, digits and inner hyphens. */
  readonly type: string
  /** The URL segment; default: the type. */
  readonly uriType?: string
  /** The servers that expose the type; null, like the default: `default`. */
  readonly server?: string | readonly string[] | null
  readonly fields: (builders: Builders<Entity>) => readonly Declared[]
  /** The operations that are exposed; an empty list, like the default: all five. `none`: it is only a relation target. */
  readonly operations?: readonly OperationName[] | 'none'
  /** Exposes only FetchCollection and FetchOne. */
  readonly readOnly?: boolean
  readonly emitsSelfLink?: boolean
  /** The errors that its hooks, rules and functions throw, as `defineError` returns them. */
  readonly errors?: readonly ErrorFactory[]
  /** Returns the type of a row if a polymorphic relation has several types with one entity; '' for another type. */
  readonly typeOf?: (record: RecordOf<Entity>) => string
  /**
   * Returns a filter for the rows that exist for the requester, in addition to policies, or true for all rows. Any other
   * value hides all rows.
   */
  readonly scope?: (caller: Caller | null) => Awaitable<RowFilter<NoInfer<Entity>> | boolean>
  /** Writes rows as entities, also if statements could write them. `npm run doctor` says how a type is written. */
  readonly writer?: 'entities'
  /** Renders some attributes by functions. */
  readonly serializer?: Serializer<RecordOf<Entity>>
  /** Changes the entity after the declared fields are written. */
  readonly hydrator?: Hydrator<Entity>
  /** The `meta` of every resource object and identifier. A function makes each read select the whole row. */
  readonly meta?: PerRecord<Entity, Record<string, unknown>>
  /**
   * Links beside `self`: URLs or link objects. A function makes each read select the whole row; what it returns that is
   * not a link is logged and left out.
   */
  readonly links?: PerRecord<Entity, Links>
}

/** A constant, or a function of the record. */
type PerRecord<Entity, Value> = Value | ((record: RecordOf<Entity>, caller: Caller | null) => Value | undefined)

/** The keys of a declaration that the kernel implements. */
export const declarationKeys: readonly (keyof ResourceDeclaration<never>)[] = [
  'type',
  'uriType',
  'server',
  'fields',
  'operations',
  'readOnly',
  'emitsSelfLink',
  'errors',
  'typeOf',
  'scope',
  'provider',
  'persister',
  'writer',
  'serializer',
  'hydrator',
  'meta',
  'links',
]

/** Functions that return the JSON value of an attribute, by attribute name. */
export interface Serializer<Row> {
  readonly attributes: Readonly<Record<string, (record: Row, caller: Caller | null) => unknown>>
}

/** Called after the declared fields are written and before the entity is saved. */
export interface Hydrator<Entity> {
  hydrate(
    entity: Entity,
    data: Readonly<Record<string, unknown>>,
    moment: { readonly creating: boolean },
  ): Awaitable<void>
}

/**
 * The declaration of a type without an entity. Without `operations` it exposes none. Without a provider as well, it is a
 * view of the entity that a relation leads to.
 */
export type TypeDeclaration<Row> = Omit<ResourceDeclaration<Row>, 'fields' | 'serializer'> &
  (SerializedType<Row> | FieldedType<Row>)

export interface SerializedType<Row> {
  readonly serializer: Serializer<Row>
  readonly id?: (builders: RowBuilders<Row>) => IdBuilder
  readonly relations?: (builders: RowBuilders<Row>) => readonly Declared[]
  readonly fields?: undefined
}

/** Declares fields over plain rows. */
interface FieldedType<Row> {
  readonly fields: (builders: RowBuilders<Row>) => readonly Declared[]
  readonly serializer?: Serializer<Row>
}

/** A declaration with its entity, before it is compiled. */
export interface Resource {
  /** Null for a type without an entity. */
  readonly entity: EntityClass<object> | null
  readonly declaration: ResourceDeclaration<never>
}

/** A filter or sort that needs an index on large tables; `npm run doctor` checks for it. */
export interface Lookup {
  /** The query parameter: `filter[title]`, `sort=title`. */
  readonly parameter: string
  /** By a value or range, by the start or a part of a text, or by an order. */
  readonly by: 'value' | 'start' | 'part' | 'order'
  /** More than one only for `order`. */
  readonly properties: readonly string[]
}

/** A compiled resource type. Immutable after the boot. */
export interface ResourceType {
  readonly name: string
  readonly uriType: string
  /** The file of its declaration, for messages. */
  readonly file: string
  /** A unique empty class for a type without an entity. */
  readonly entity: EntityClass<object>
  readonly isStandalone: boolean
  readonly shape: EntityShape
  readonly servers: readonly string[]
  readonly operations: ReadonlySet<OperationName>
  /** The methods that URLs of each shape accept. */
  readonly methods: Readonly<Record<Shape, readonly string[]>>
  readonly id: Id
  readonly attributes: readonly Attribute[]
  readonly relations: readonly Relation[]
  readonly fields: ReadonlyMap<string, Field>
  readonly relationsBySegment: ReadonlyMap<string, Relation>
  readonly emitsSelfLink: boolean
  /** Attributes and relations that `hiddenFor` hides from some requesters. */
  readonly hiddenForSome: readonly (Attribute | Relation)[]
  /** Whether a relation from or to this type computes `meta` of identifiers from records. */
  describesIdentifiers: boolean
  /** Properties that hooks read from every record; plugins add to them in `onCompile`. */
  needs: readonly string[]
  /** Properties and paths that `checks of links read; plugins add to them in `onCompile`. */
  linkColumns: readonly string[]
  /** Whether the stage `filterRows` has steps. */
  filtersRowsAfterRead: boolean
  /** Whether rows may be out of scope for a requester, or excluded by the mapping. */
  mayBeScoped: boolean
  /** Why `filterRows` may remove rows, for messages: counts, cursors and filters through the type would reveal them. */
  rowFilterReason: string | null
  /** Modifiers that are declared outside of fields, for `npm run doctor`; plugins add them in `onCompile`. */
  readonly declaredModifiers: { readonly member: string; readonly name: string }[]
  /** Declared errors that any of its operations may throw; plugins add theirs in `onCompile`. */
  readonly errors: ErrorDefinition[]
  /** Filters and sorts of clients; plugins add theirs in `onCompile`. */
  readonly lookups: Lookup[]
  /** Properties whose combined values are unique; plugins add theirs in `onCompile`. */
  readonly uniques: (readonly string[])[]
  /** The rows among which they are unique; null for all. A plugin may set it in `onCompile`. */
  uniqueAmong: Condition | null
  /** Returns the values that a deletion sets instead of deleting the row. Null deletes it. A plugin may set it in `onCompile`. */
  deletedValues: (() => Readonly<Row>) | null
  /** Writes whose responses show a secret once: no plugin may store them. Plugins add theirs in `onCompile`. */
  readonly secretResponses: Exclude<OperationName, 'FetchCollection' | 'FetchOne'>[]
  /** Members rendered without a fieldset; null for all. Plugins may change it in `onCompile`. */
  defaultFields: ReadonlySet<string> | null
  /** The order without a `sort` parameter; a plugin may set it in `onCompile`. */
  defaultSort: readonly SortTerm[]
  /** The declaration, with the keys of plugins. */
  readonly declaration: ResourceDeclaration<never> & ResourceKeys<never>
  /** What queries show of the type, by the fields that clients request and that are hidden from them. */
  readonly shown: LruMap<string, ShownFields>
  readonly codec: IdCodec
}

/** Converts between the id on the wire and the key in the store. */
export interface IdCodec {
  /** Whether an id has the declared format. */
  accepts(wire: string): boolean
  encode(key: unknown): string
  /** Returns undefined if no row can have the id. */
  decode(wire: string): unknown
}

export function wireId(type: ResourceType, record: Row): string {
  return type.codec.encode(record[type.id.property])
}

/** Whether `typeOf` of the type, if it has one, returns the type for the row. */
export function isOfType(record: object, { name, declaration }: ResourceType): boolean {
  return declaration.typeOf === undefined || declaration.typeOf(record as never) === name
}

/** A declaration and the file that exports it. */
export interface DeclaredResource {
  readonly file: string
  readonly resource: Resource
}

/** All resource types, compiled once at boot. */
export interface Registry {
  readonly types: ReadonlyMap<string, ResourceType>
  /** Whether `hiddenFor` hides fields from some requesters. Set when all declarations are valid. */
  hidesFields: boolean
  /** The faults of all declarations; the application does not start if there is one. */
  readonly failures: readonly string[]
  fail(type: Pick<ResourceType, 'name' | 'file'>, member: string | null, message: string): void
  /** Sentences about declarations that are valid but probably mistakes: logged, and printed by `npm run doctor`. */
  readonly warnings: readonly string[]
  warn(sentence: string): void
}
