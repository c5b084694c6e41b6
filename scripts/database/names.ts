import { runInNewContext } from 'node:vm'
import { camelize, pluralize, singularize, underscore } from 'inflection'
import type { TypeNames } from '../make/names.ts'

const builtIn: readonly string[] = runInNewContext('Object.getOwnPropertyNames(globalThis)')

/** Names that cannot be used for members of a document, or for properties of an entity. */
const reserved = new Set([
  ...Object.getOwnPropertyNames(Object.prototype),
  ...['id', 'type', 'lid', 'prototype', 'relationships', 'then', 'toJSON', 'toObject', 'toPOJO', 'meta', 'links'],
])

/** The length of a name, which may get a number: the name of a field has at most 50 bytes. */
const maxLength = 47

/** Gives each table a type, an entity and file names that are free. */
export class TypeNamer {
  readonly #types: Set<string>
  readonly #entities: Set<string>
  readonly #keepsNames: boolean

  /** `keepsNames`: to-many relations are named like the table, also if its name is in the singular. */
  constructor(takenTypes: Iterable<string>, takenEntities: Iterable<string>, keepsNames = false) {
    this.#keepsNames = keepsNames
    this.#types = new Set(takenTypes)
    this.#entities = new Set([...takenEntities, ...builtIn, 'Policy', 'Principal', 'EntityName', 'Json'])
  }

  namesOf(table: string): TypeNames {
    const words = toWords(table) || 'table'
    const safe = /^[a-z]/.test(words) ? words : `table_${words}`
    const type = unique(safe.replaceAll('_', '-'), this.#types, '-')
    const entity = this.entity(safe)
    const one = entity.charAt(0).toLowerCase() + entity.slice(1)
    const title = underscore(entity).replaceAll('_', ' ')
    return {
      type,
      entity,
      one,
      many: this.many(safe),
      table,
      title: title.charAt(0).toUpperCase() + title.slice(1),
    }
  }

  /** The name of a to-many relation: `film_actor` → `filmActors`. */
  many(words: string): string {
    return camelize(this.#keepsNames ? words : toPlural(words), true)
  }

  /** A free name of a class: `order_items` → `OrderItem`. */
  entity(words: string): string {
    const single = camelize(singularize(words)).replace(/[^A-Za-z0-9]/g, '')
    return unique(builtIn.includes(single) ? `${single}Row` : single, this.#entities, '')
  }
}

/** Gives the properties of one entity names that are free. */
export class PropertyNamer {
  readonly #taken: Set<string>
  readonly #prefix: string
  /** Names that differ from the derived name, which another property has. */
  readonly renamed: { readonly words: string; readonly name: string; readonly taken: string }[] = []

  constructor({ one }: Pick<TypeNames, 'one'>, taken: readonly string[] = []) {
    this.#prefix = one
    this.#taken = new Set(['id', ...taken])
  }

  isFree(name: string): boolean {
    return !this.#taken.has(name) && !reserved.has(name)
  }

  /** `created_at` → `createdAt`; a reserved name is prefixed: `type` → `productType`. A long one is cut. */
  name(words: string): string {
    const plain = camelize(toWords(words) || 'column', true)
    const safe = /^[a-z]/.test(plain) ? plain : `column${plain}`
    const wanted = (reserved.has(safe) ? `${this.#prefix}${camelize(underscore(safe))}` : safe).slice(0, maxLength)
    const name = unique(wanted, this.#taken, '')
    if (name !== wanted) this.renamed.push({ words, name, taken: wanted })
    return name
  }
}

/** A free name of the list of values of an enum: `order_state` → `orderStates`. */
export function listName(type: string, taken: Iterable<string>): string {
  const name = camelize(toPlural(toWords(type) || 'values'), true)
  return unique(/^[a-z]/.test(name) ? name : `values${name}`, new Set(['this', ...taken]), '')
}

/** The name of a relation: the column without `_id`, or the target if nothing is left. */
export function relationWords(column: string, target: string): string {
  const words = toWords(column).replace(/_?(?:id|uuid|fk|key)$/, '')
  return words || singularize(toWords(target))
}

/** Whether MikroORM can map a column, or a relation from or to a table: it generates code with the name, without quotes. */
export function isMappable(name: string): boolean {
  return !/^\d/.test(name)
}

/** Whether MikroORM can map a table: it reads a dot as the end of a schema, and does not escape a quotation mark. */
export function isMappableTable(name: string): boolean {
  return !/[".]/.test(name)
}

export function toPlural(words: string): string {
  return pluralize(singularize(words))
}

/** Words in lower case, joined by underscores, without accents: `Größe (cm)` → `grosse_cm`. */
export function toWords(name: string): string {
  const ascii = name
    .replaceAll('ß', 'ss')
    .normalize('NFKD')
    .replace(/[^\x20-\x7e]/g, '')
    .replace(/[^A-Za-z0-9]+/g, '_')
  return underscore(/[a-z]/.test(ascii) ? ascii : ascii.toLowerCase())
    .replace(/^_+|_+$/g, '')
    .replace(/_{2,}/g, '_')
    .toLowerCase()
}

function unique(name: string, taken: Set<string>, separator: string): string {
  let free = name
  for (let n = 2; taken.has(free); n++) free = `${name}${separator}${n}`
  taken.add(free)
  return free
}
