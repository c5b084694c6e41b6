import { isDeepStrictEqual } from 'node:util'

export interface Change {
  readonly location: string
  readonly message: string
  /** A client of the old document may fail with the new one. */
  readonly isBreaking: boolean
}

// biome-ignore lint/suspicious/noExplicitAny: documents are untyped JSON
type Part = any
type Direction = 'sent' | 'received'

const methods = ['get', 'post', 'patch', 'delete']

/** Returns the changes between two documents that affect clients. */
export function compareDocuments(before: Part, after: Part): Change[] {
  return new Comparison(before, after).all()
}

class Comparison {
  readonly #before: Part
  readonly #after: Part
  readonly #changes: Change[] = []
  readonly #seen = new Set<string>()

  constructor(before: Part, after: Part) {
    this.#before = before
    this.#after = after
  }

  all(): Change[] {
    const operations = listOperations(this.#before)
    const next = listOperations(this.#after)
    for (const [name, operation] of operations) {
      const now = next.get(name)
      if (now) this.#operation(name, operation, now)
      else this.#report(name, 'is removed', true)
    }
    for (const name of next.keys()) if (!operations.has(name)) this.#report(name, 'is added', false)
    return this.#changes
  }

  #operation(location: string, before: Part, after: Part): void {
    this.#parameters(location, before.parameters ?? [], after.parameters ?? [])
    const [old, now] = [bodySchema(before.requestBody), bodySchema(after.requestBody)]
    if (!old && now) this.#report(location, 'needs a body', true)
    if (old && now) this.#schema(`${location} body`, old, now, 'sent')
    for (const [status, response] of Object.entries<Part>(before.responses)) {
      const next = after.responses[status]
      if (!next) this.#report(location, `no longer returns ${status}`, Number(status) < 400)
      else
        this.#schema(`${location} ${status}`, bodySchema(this.#old(response)), bodySchema(this.#new(next)), 'received')
    }
    for (const status of Object.keys(after.responses)) {
      if (!before.responses[status]) this.#report(location, `may return ${status}`, false)
    }
  }

  #parameters(location: string, before: readonly Part[], after: readonly Part[]): void {
    const named = (list: readonly Part[], resolve: (part: Part) => Part) =>
      new Map(list.map(resolve).map((parameter) => [parameter.name as string, parameter]))
    const [old, now] = [named(before, (part) => this.#old(part)), named(after, (part) => this.#new(part))]
    for (const [name, parameter] of old) {
      const later = now.get(name)
      if (!later) this.#report(location, `no longer accepts ${name}`, true)
      else this.#schema(`${location} ${name}`, parameter.schema, later.schema, 'sent')
    }
    for (const [name, { required }] of now) {
      if (!old.has(name)) this.#report(location, `accepts ${name}`, required === true)
    }
  }

  #schema(location: string, given: Part, following: Part, direction: Direction): void {
    const key = given?.$ref && following?.$ref ? `${direction} ${given.$ref} ${following.$ref}` : null
    if (key !== null && this.#seen.has(key)) return
    if (key !== null) this.#seen.add(key)
    const [before, after] = [this.#old(given), this.#new(following)]
    if (!before || !after) {
      if (before !== after) this.#report(location, after ? 'has a body now' : 'no longer has a body', true)
      return
    }
    const where = key === null ? location : given.$ref.split('/').at(-1)
    this.#types(where, before, after, direction)
    this.#values(where, before, after, direction)
    this.#members(where, before, after, direction)
    if (before.items && after.items) this.#schema(`${where}[]`, before.items, after.items, direction)
    for (const keyword of ['anyOf', 'oneOf', 'allOf']) this.#choices(where, keyword, before, after, direction)
    for (const limit of limits) {
      if (isDeepStrictEqual(before[limit], after[limit])) continue
      this.#report(where, `${limit} was ${print(before[limit])}, is ${print(after[limit])}`, direction === 'sent')
    }
  }

  #types(location: string, before: Part, after: Part, direction: Direction): void {
    const [old, now] = [typeNames(before), typeNames(after)]
    if (isDeepStrictEqual(old, now)) return
    const [narrow, wide] = direction === 'sent' ? [now, old] : [old, now]
    const fits = wide.length > 0 && wide.every((type) => narrow.includes(type))
    this.#report(location, `was ${print(old)}, is ${print(now)}`, !fits)
  }

  #values(location: string, before: Part, after: Part, direction: Direction): void {
    const [old, now] = [enumValues(before), enumValues(after)]
    for (const value of old ?? []) {
      if (now && !now.includes(value))
        this.#report(location, `no longer has the value ${print(value)}`, direction === 'sent')
    }
    for (const value of now ?? []) {
      if (old && !old.includes(value)) this.#report(location, `has the new value ${print(value)}`, false)
      if (!old) this.#report(location, `is limited to ${print(now)}`, direction === 'sent')
      if (!old) break
    }
  }

  #members(location: string, before: Part, after: Part, direction: Direction): void {
    const [old, now] = [before.properties ?? {}, after.properties ?? {}]
    for (const [name, schema] of Object.entries<Part>(old)) {
      if (name in now) this.#schema(`${location}.${name}`, schema, now[name], direction)
      else this.#report(`${location}.${name}`, 'is removed', true)
    }
    for (const name of Object.keys(now)) if (!(name in old)) this.#report(`${location}.${name}`, 'is added', false)
    const [had, has] = [before.required ?? [], after.required ?? []]
    for (const name of has)
      if (!had.includes(name)) this.#report(`${location}.${name}`, 'is required', direction === 'sent')
    for (const name of had) {
      if (!has.includes(name)) this.#report(`${location}.${name}`, 'is no longer required', direction === 'received')
    }
  }

  #choices(location: string, keyword: string, before: Part, after: Part, direction: Direction): void {
    const [old, now] = [before[keyword] ?? [], after[keyword] ?? []]
    if (old.length !== now.length) {
      const isLess = now.length < old.length
      this.#report(
        location,
        `has ${now.length} variants, had ${old.length}`,
        isLess === (direction === 'sent') && keyword !== 'allOf',
      )
      return
    }
    for (const [index, choice] of old.entries()) this.#schema(`${location}(${index})`, choice, now[index], direction)
  }

  #report(location: string, message: string, isBreaking: boolean): void {
    this.#changes.push({ location, message, isBreaking })
  }

  #old(part: Part): Part {
    return resolveIn(this.#before, part)
  }

  #new(part: Part): Part {
    return resolveIn(this.#after, part)
  }
}

const limits = ['const', 'format', 'pattern', 'minLength', 'maxLength', 'minimum', 'maximum', 'minItems', 'maxItems']

function listOperations(document: Part): Map<string, Part> {
  return new Map(
    Object.entries<Part>(document.paths).flatMap(([path, item]) =>
      methods.flatMap((method): [string, Part][] =>
        item[method] ? [[`${method.toUpperCase()} ${path}`, item[method]]] : [],
      ),
    ),
  )
}

function bodySchema(part: Part): Part {
  return Object.values<Part>(part?.content ?? {})[0]?.schema
}

function resolveIn(document: Part, part: Part): Part {
  if (!part?.$ref) return part
  return part.$ref
    .slice(2)
    .split('/')
    .reduce((inside: Part, name: string) => inside?.[name], document)
}

function typeNames({ type }: Part): string[] {
  return [type ?? []].flat().sort()
}

function enumValues({ enum: values }: Part): readonly unknown[] | undefined {
  return values
}

function print(value: unknown): string {
  return value === undefined ? 'unlimited' : JSON.stringify(value)
}
