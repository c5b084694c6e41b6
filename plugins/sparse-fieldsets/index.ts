import { acceptedNames } from '#kernel/errors'
import type { RequestLimits } from '#kernel/operations'
import { type Fact, hidingDeclaration, type Plugin, type ResourceType } from '#kernel/plugin'
import { isMap } from '#kernel/queries'
import { checkQueryLimit, splitList } from '#query'
import { describeFieldsets } from './describe.ts'
import { fieldsetMemberUnrecognized } from './errors.ts'

declare module '#kernel' {
  interface FieldModifiers<Entity> {
    /** Returned only if a fieldset names it; a relation also where it is included. */
    sparseByDefault(): this & Fact<{ sparse: true }>
    /** Returned even if a fieldset omits it. */
    notSparseField(): this
  }
  interface FieldOptions {
    sparse?: 'byDefault' | 'never'
  }
}

const fieldModifiers = {
  sparseByDefault: () => ({ options: { sparse: 'byDefault' } as const }),
  notSparseField: () => ({ options: { sparse: 'never' } as const }),
}

/** Sparse fieldsets by `fields[TYPE]=a,b`: only these fields of the type are queried and returned. */
export function sparseFieldsets(): Plugin {
  return {
    name: 'sparse-fieldsets',
    errors: [fieldsetMemberUnrecognized.definition],
    modifiers: {
      attribute: fieldModifiers,
      relation: fieldModifiers,
      exclusive: [Object.keys(fieldModifiers)],
    },

    onCompile(registry) {
      for (const type of registry.types.values()) {
        const omitted = fieldsMarked(type, 'byDefault')
        if (omitted.length > 0)
          type.defaultFields = new Set([...type.fields.keys()].filter((name) => !omitted.includes(name)))
      }
    },

    parameters: {
      fields: {
        list(value, query, { server, strict, limits }) {
          if (!isMap(value)) return
          for (const [name, list] of Object.entries(value)) {
            const type = server.types.get(name)
            if (!type || typeof list !== 'string') continue
            const parameter = `fields[${name}]`
            const { members, unknown, length } = readFieldset(list, type)
            checkQueryLimit('names', length, nameLimit(type, limits), parameter)
            if (unknown.length > 0 && strict) {
              const context = {
                type: name,
                members: unknown,
                available: acceptedNames(visibleFields(type), ...unknown),
              }
              query.faults.push(fieldsetMemberUnrecognized(context, { source: { parameter } }))
            }
            query.fields = new Map(query.fields).set(name, members)
          }
        },
        isAccepted: ({ target }) => target.action?.shows !== null,
      },
    },

    describe: describeFieldsets,
  }
}

/** The limit is at least the number of fields, so that a list can name all of them. */
function nameLimit({ fields }: ResourceType, { queryParameters }: RequestLimits): number {
  return queryParameters === 0 ? 0 : Math.max(queryParameters, fields.size)
}

interface Fieldset {
  readonly members: ReadonlySet<string>
  readonly unknown: readonly string[]
  /** The number of names in the list as sent, duplicates included. */
  readonly length: number
}

function readFieldset(list: string, type: ResourceType): Fieldset {
  const members = splitList(list)
  const unknown = members.filter((member) => !type.fields.has(member))
  return { members: new Set([...members, ...fieldsMarked(type, 'never')]), unknown, length: members.length }
}

function fieldsMarked(type: ResourceType, sparse: 'byDefault' | 'never'): string[] {
  return [...type.attributes, ...type.relations]
    .filter((field) => field.options.sparse === sparse)
    .map(({ name }) => name)
}

/** Leaves out fields that are hidden from any requester, so that an error reveals none of them. */
function visibleFields({ attributes, relations }: ResourceType): string[] {
  return [...attributes, ...relations]
    .filter((field) => !hidingDeclaration(field) && !field.hiddenFor)
    .map(({ name }) => name)
}
