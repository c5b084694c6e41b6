import {
  checkLength,
  getOrCreate,
  isMap,
  type Plugin,
  type RequestLimits,
  type ResourceType,
  splitList,
} from '#kernel/plugin'
import { describeFieldsets } from './describe.ts'
import { fieldsetMemberUnrecognized } from './errors.ts'

declare module '#kernel' {
  interface FieldWords<Entity> {
    /** Left out unless a fieldset names it. */
    sparseByDefault(): this
    /** Shown whatever the fieldset. */
    notSparseField(): this
  }
  interface FieldOptions {
    sparse?: 'byDefault' | 'never'
  }
}

const words = {
  sparseByDefault: () => ({ options: { sparse: 'byDefault' } as const }),
  notSparseField: () => ({ options: { sparse: 'never' } as const }),
}

/** `fields[TYPE]=a,b`: only these members of the type are read and shown. */
export function sparseFieldsets(): Plugin {
  return {
    name: 'sparse-fieldsets',
    errors: [fieldsetMemberUnrecognized.definition],
    modifiers: { attribute: words, relation: words },

    onCompile(registry) {
      for (const type of registry.types.values()) {
        const hidden = membersOf(type, 'byDefault')
        if (hidden.length > 0)
          type.defaultFields = new Set([...type.fields.keys()].filter((name) => !hidden.includes(name)))
      }
    },

    parameters: {
      fields(value, query, { server, strict, limits }) {
        if (!isMap(value)) return
        for (const [name, list] of Object.entries(value)) {
          const type = server.types.get(name)
          if (!type || typeof list !== 'string') continue
          const parameter = `fields[${name}]`
          const { members, unknown, length } = fieldsetOf(list, type)
          checkLength('names', length, nameLimit(type, limits), parameter)
          if (unknown.length > 0 && strict) {
            const context = { type: name, members: unknown }
            query.faults.push(fieldsetMemberUnrecognized(context, { source: { parameter } }))
          }
          query.fields = new Map(query.fields).set(name, members)
        }
      },
    },

    describe: describeFieldsets,
  }
}

/** A list may always name every field of the type. */
function nameLimit({ fields }: ResourceType, { queryParameters }: RequestLimits): number {
  return queryParameters === 0 ? 0 : Math.max(queryParameters, fields.size)
}

interface Fieldset {
  readonly members: ReadonlySet<string>
  readonly unknown: readonly string[]
  /** Of the list as it was sent. */
  readonly length: number
}

const maxFieldsets = 200
const maxLength = 500
const fieldsets = new WeakMap<ResourceType, Map<string, Fieldset>>()

/** One set for all who ask for the same, so that what depends on it is settled once. */
function fieldsetOf(list: string, type: ResourceType): Fieldset {
  if (list.length > maxLength) return readFieldset(list, type)
  const known = getOrCreate(fieldsets, type, () => new Map<string, Fieldset>())
  if (known.size >= maxFieldsets) known.clear()
  return getOrCreate(known, list, () => readFieldset(list, type))
}

function readFieldset(list: string, type: ResourceType): Fieldset {
  const members = splitList(list)
  const unknown = members.filter((member) => !type.fields.has(member))
  return { members: new Set([...members, ...membersOf(type, 'never')]), unknown, length: members.length }
}

function membersOf(type: ResourceType, sparse: 'byDefault' | 'never'): string[] {
  return [...type.attributes, ...type.relations]
    .filter((field) => field.options.sparse === sparse)
    .map(({ name }) => name)
}
