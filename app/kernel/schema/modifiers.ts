// The types of modifiers: `.required()`, `.maxLength(200)`. A plugin adds its modifiers to the interfaces ending in
// `Modifiers`, and its keys to `ResourceKeys`, with `declare module '#kernel'` and the same names of type parameters.

export interface FieldModifiers<Entity> {}
export interface AttributeModifiers<Entity> extends FieldModifiers<Entity> {}
/** Modifiers of all attributes with functions that receive the sent value. */
export interface ValueModifiers<Entity, Value> {}
export interface StringModifiers<Entity> {}
export interface NumberModifiers<Entity> {}
export interface TemporalModifiers<Entity> {}
export interface DateModifiers {
  /** The column may hold `infinity` and `-infinity`, which are then shown and accepted as these texts. */
  infinity(): this
}
export interface DateTimeModifiers extends DateModifiers {
  /** `YYYY-MM-DD HH:mm:ss.SSS`, in UTC. */
  format(format: string): this
  /** The time zone of values without an offset. */
  useTimezone(timezone: string): this
}
export interface EmailModifiers<Entity> {}
export interface UrlModifiers<Entity> {}
export interface UuidModifiers<Entity> {}
export interface IpModifiers<Entity> {}
export interface ArrayListModifiers<Entity> {
  /** Sorts the items on the wire. */
  sorted(): this
}
export interface ArrayHashModifiers<Entity> {
  /** Sorts the members by key, or by value, on the wire. */
  sortKeys(): this
  sortValues(): this
}
export interface RelationModifiers<Entity> extends FieldModifiers<Entity> {}
export interface ToOneModifiers<Entity> {}
export interface ToManyModifiers<Entity> {}
/** Modifiers of relations that depend on the related entity. */
export interface RelatedModifiers<Related> {}
/** Keys of the object given to `defineResource`. */
export interface ResourceKeys<Entity> {}

/** The JSON values that attributes accept, by kind. */
export interface SentValues {
  string: string
  email: string
  url: string
  uuid: string
  slug: string
  ip: string
  integer: number
  decimal: number
  boolean: boolean
  dateTime: string
  date: string
  time: string
  map: Readonly<Record<string, unknown>>
  obj: Readonly<Record<string, unknown>>
  oneOf: Readonly<Record<string, unknown>>
  arrayList: readonly unknown[]
  arrayHash: Readonly<Record<string, unknown>>
}
