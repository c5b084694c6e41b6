/** A parsed query value: text, a list (`name[]=`), or a map (`name[key]=`). Maps inherit nothing. */
export type ParamValue = string | readonly string[] | ParamMap
export interface ParamMap {
  readonly [key: string]: ParamValue
}

/** Values by family, the part of a name before its first bracket. */
export type Families = ReadonlyMap<string, ParamValue>

export function isMap(value: ParamValue | undefined): value is ParamMap {
  return typeof value === 'object' && !Array.isArray(value)
}
