// Entities, the properties of an entity, and the attributes and relations that they can be.

/** The class of an entity. */
// biome-ignore lint/complexity/noBannedTypes: the constructor may have any parameters, and may be private
export type EntityClass<Entity> = Function & { readonly prototype: Entity }

export type Key<Entity> = Exclude<keyof Entity, symbol> & string
type IsToOne<Value> = NonNullable<Value> extends { unwrap(): unknown } ? true : false
type IsToMany<Value> = NonNullable<Value> extends { getItems(): unknown } ? true : false

export type ToOneName<Entity> = { [K in Key<Entity>]: IsToOne<Entity[K]> extends true ? K : never }[Key<Entity>]
export type ToManyName<Entity> = { [K in Key<Entity>]: IsToMany<Entity[K]> extends true ? K : never }[Key<Entity>]
/** Properties that can be an attribute: neither a relation nor a method. */
export type PropertyName<Entity> = {
  [K in Key<Entity>]: IsToOne<Entity[K]> extends true
    ? never
    : IsToMany<Entity[K]> extends true
      ? never
      : NonNullable<Entity[K]> extends (...args: never[]) => unknown
        ? never
        : K
}[Key<Entity>]

/** The row that functions of a declaration receive, without relations. */
export type RecordOf<Entity> = { readonly [K in PropertyName<Entity>]: Entity[K] }

/** The related entity of a relation; never if there is none. */
export type RelatedOf<Entity, Name> = Name extends keyof Entity
  ? NonNullable<Entity[Name]> extends { unwrap(): infer Related }
    ? Related
    : NonNullable<Entity[Name]> extends { getItems(): readonly (infer Related)[] }
      ? Related
      : never
  : never

/** The type that the entity property of an attribute must have, by kind. */
interface StoredValue {
  string: string
  email: string
  url: string
  uuid: string
  slug: string
  ip: string
  integer: number | bigint
  decimal: number | string
  boolean: boolean
  dateTime: Date
  date: string | Date
  time: string
  map: never
  obj: unknown
  oneOf: unknown
  arrayList: readonly unknown[]
  arrayHash: unknown
}

export type BoundTo<Entity, Name extends string, Kind extends keyof StoredValue> =
  Name extends PropertyName<Entity>
    ? NonNullable<Entity[Name & keyof Entity]> extends StoredValue[Kind]
      ? true
      : `The property '${Name}' does not hold what a '${Kind}' field holds.`
    : Name extends ToOneName<Entity> | ToManyName<Entity>
      ? `'${Name}' is a relation of the entity, not an attribute.`
      : `'${Name}' is not a property of the entity; say storedAs() or computed().`

/** True if the name is inferred as the union of all properties: the argument itself has a compiler error then. */
export type StoredIn<Entity, Name extends string, Kind extends keyof StoredValue> = [PropertyName<Entity>] extends [
  Name,
]
  ? true
  : BoundTo<Entity, Name, Kind>
