import type { EntityClass, FilterQuery } from '@mikro-orm/core'
import type { Awaitable } from '../lib/awaitable.ts'
import type { Attribute, Field, Id, Relation, Row } from './field.ts'
import type { Builders, Declared, IdBuilder, RecordOf, ResourceWords, RowBuilders } from './field-words.ts'
import type { Caller } from './principal.ts'
import type { EntityShape, Persister, Provider } from './provider.ts'
import type { SortTerm } from './query.ts'

export const operationNames = ['FetchCollection', 'FetchOne', 'Create', 'Update', 'Delete'] as const
export type OperationName = (typeof operationNames)[number]

/** What an author writes: one object, checked by the compiler against the entity. */
export interface ResourceDeclaration<Entity> extends ResourceWords<Entity> {
  /** The `type` member of every document; letters, digits and inner hyphens. */
  readonly type: string
  /** The URL segment, when it differs from the type. */
  readonly uriType?: string
  /** The servers this type is offered on; `default` when left out. */
  readonly server?: string | readonly string[]
  readonly fields: (words: Builders<Entity>) => readonly Declared[]
  /** The operations that are routed; all five when left out. */
  readonly operations?: readonly OperationName[]
  /** Short for the two fetch operations. */
  readonly readOnly?: boolean
  readonly emitsSelfLink?: boolean
  /** Of a polymorphic relation to several types on one entity: the type of a row; '' when it is not this one's. */
  readonly typeOf?: (record: RecordOf<Entity>) => string
  /**
   * The rows that exist for this request, on top of what policies say: a filter, or true for all of them. Any other
   * answer is no row.
   */
  readonly scope?: (caller: Caller | null) => Awaitable<FilterQuery<NoInfer<Entity>> | boolean>
  /** Another source of rows than the store. */
  readonly provider?: Provider
  readonly persister?: Persister
  /** Shows some members in its own way. */
  readonly serializer?: Serializer<RecordOf<Entity>>
  /** Has the last word on what a write puts into the entity. */
  readonly hydrator?: Hydrator<Entity>
  /** The `meta` of every resource object and identifier. A function makes each read select the whole row. */
  readonly meta?: PerRecord<Entity, Record<string, unknown>>
  /** Links beside `self`. A function makes each read select the whole row. */
  readonly links?: PerRecord<Entity, Record<string, string>>
}

/** A constant, or a function of the record. */
type PerRecord<Entity, Value> = Value | ((record: RecordOf<Entity>, caller: Caller | null) => Value | undefined)

/** The keys of a declaration that are the kernel's own. */
export const declarationKeys: readonly (keyof ResourceDeclaration<never>)[] = [
  'type',
  'uriType',
  'server',
  'fields',
  'operations',
  'readOnly',
  'emitsSelfLink',
  'typeOf',
  'scope',
  'provider',
  'persister',
  'serializer',
  'hydrator',
  'meta',
  'links',
]

/** The read shape: each attribute by its name. */
export interface Serializer<Row> {
  readonly attributes: Readonly<Record<string, (record: Row, caller: Caller | null) => unknown>>
}

/** The write shape: called after the declared fields are written, before the entity is saved. */
export interface Hydrator<Entity> {
  hydrate(
    entity: Entity,
    data: Readonly<Record<string, unknown>>,
    moment: { readonly creating: boolean },
  ): Awaitable<void>
}

/** A type assembled from capabilities, without an entity. Without a list of operations it only renders. */
export type TypeDeclaration<Row> = Omit<ResourceDeclaration<Row>, 'fields' | 'serializer'> &
  (SerializedType<Row> | FieldedType<Row>)

interface SerializedType<Row> {
  readonly serializer: Serializer<Row>
  readonly id?: (words: RowBuilders<Row>) => IdBuilder
  readonly relations?: (words: RowBuilders<Row>) => readonly Declared[]
  readonly fields?: undefined
}

/** Declared as a resource is, over plain rows. */
interface FieldedType<Row> {
  readonly fields: (words: RowBuilders<Row>) => readonly Declared[]
  readonly serializer?: Serializer<Row>
}

/** A declaration with its entity, before the registry has compiled it. */
export interface Resource {
  /** Null when the type has none. */
  readonly entity: EntityClass<object> | null
  readonly declaration: ResourceDeclaration<never>
}

/** Declares a resource type: `export default defineResource(Album, { type: 'albums', … })`. */
export function defineResource<Entity extends object>(
  entity: EntityClass<Entity>,
  declaration: ResourceDeclaration<Entity>,
): Resource {
  return { entity: entity as EntityClass<object>, declaration: declaration as unknown as ResourceDeclaration<never> }
}

/** Declares a type without an entity: `export default defineType<Country>({ type: 'countries', serializer, provider, … })`. */
export function defineType<Row extends object>(declaration: TypeDeclaration<Row>): Resource {
  if (declaration.fields) return { entity: null, declaration: declaration as unknown as ResourceDeclaration<never> }
  const { serializer, id, relations, ...rest } = declaration as SerializedType<Row>
  const fields = (words: RowBuilders<Row>) => [
    id ? id(words) : words.id(),
    ...Object.entries(serializer.attributes).map(([name, read]) =>
      words
        .string(name)
        .computed()
        .readOnly()
        .serializeUsing(read as never),
    ),
    ...(relations?.(words) ?? []),
  ]
  return { entity: null, declaration: { ...rest, fields } as unknown as ResourceDeclaration<never> }
}

/** A way to search rows, which needs an index where there are many: `npm run doctor` looks for it. */
export interface Lookup {
  /** As a client writes it: `filter[title]`, `sort=title`. */
  readonly asked: string
  /** By a value or a range of values, by the beginning or a part of a text; or rows are read along an order. */
  readonly by: 'value' | 'start' | 'part' | 'order'
  /** More than one only of an order. */
  readonly properties: readonly string[]
}

/** A compiled resource type: the plan the whole kernel works from. Immutable after the boot. */
export interface ResourceType {
  readonly name: string
  readonly uriType: string
  /** Where it is declared, for messages. */
  readonly file: string
  /** Of a type without an entity, a class of its own that nothing else has. */
  readonly entity: EntityClass<object>
  readonly isStandalone: boolean
  readonly shape: EntityShape
  readonly servers: readonly string[]
  readonly operations: ReadonlySet<OperationName>
  readonly id: Id
  readonly attributes: readonly Attribute[]
  readonly relations: readonly Relation[]
  readonly fields: ReadonlyMap<string, Field>
  readonly relationsBySegment: ReadonlyMap<string, Relation>
  readonly emitsSelfLink: boolean
  /** Attributes and relations that `hiddenFor` hides from some requesters. */
  readonly hiddenForSome: readonly (Attribute | Relation)[]
  /** A relation from or to this type looks at records to describe its identifiers. */
  describesIdentifiers: boolean
  /** Properties hooks look at on every record, whatever is shown of it; plugins add to them while compiling. */
  needs: readonly string[]
  /** Properties and paths `onLink` hooks read of a row that joins or leaves a many-to-many. */
  linkNeeds: readonly string[]
  /** A plugin decides row by row whether a record is shown (`filterRows`); set while compiling. */
  checksEachRow: boolean
  /** Rows are left out after they are read: a count, a cursor or a filter through the type would tell of them. */
  leavesOutRows: boolean
  /** Words said outside of fields, in filters or values, which the plugins that read them note while compiling. */
  readonly said: { readonly member: string; readonly word: string }[]
  /** The ways in which clients may search its rows; plugins note theirs while compiling. */
  readonly lookups: Lookup[]
  /** Members rendered when no fieldset is sent; null means all. Plugins may narrow it while compiling. */
  defaultFields: ReadonlySet<string> | null
  /** The order without a sort; a plugin that knows one sets it while compiling. */
  defaultSort: readonly SortTerm[]
  /** The declaration as written, where plugins find the keys they own. */
  readonly declaration: ResourceDeclaration<never> & ResourceWords<never>
  readonly provider: Provider
  readonly persister: Persister
  readonly codec: IdCodec
}

/** Between the id on the wire and the key in the store. */
export interface IdCodec {
  /** Whether an id has the declared form. */
  accepts(wire: string): boolean
  encode(key: unknown): string
  /** Undefined when no row can have this id. */
  decode(wire: string): unknown
}

export function wireId(type: ResourceType, record: Row): string {
  return type.codec.encode(record[type.id.property])
}

/** A declaration and the file that exports it. */
export interface DeclaredResource {
  readonly file: string
  readonly resource: Resource
}

/** All resource types, compiled once at boot. */
export interface Registry {
  readonly types: ReadonlyMap<string, ResourceType>
  /** The faults of all declarations; the application does not start if there is one. */
  readonly failures: readonly string[]
  fail(type: Pick<ResourceType, 'name' | 'file'>, member: string | null, message: string): void
}
