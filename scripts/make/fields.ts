import { pluralize } from 'inflection'
import { StartupError } from '#store'
import { type Kind, kinds } from './kinds.ts'
import { checkFieldName, toPascal } from './names.ts'

/** `!` required, `?` nullable, or nothing: the database has a default. */
export type Presence = 'required' | 'nullable' | 'default'

export interface AttributePlan {
  readonly name: string
  readonly kind: Kind
  readonly presence: Presence
  /** The values of an enum; empty otherwise. */
  readonly values: readonly string[]
}

export interface RelationPlan {
  readonly name: string
  readonly toMany: boolean
  readonly target: string
  readonly isRequired: boolean
}

export interface FieldPlans {
  readonly attributes: readonly AttributePlan[]
  readonly relations: readonly RelationPlan[]
}

export const fieldForms = `  title:string!                   required (${Object.keys(kinds).join(', ')})
  publishedAt:dateTime?           nullable
  body:text                       optional; default: empty, 0, false or now
  status:enum=draft,published     one of these; default: the first
  author:one=people               a to-one relation; author:one=people! is required
  tags:many=tags                  a to-many relation`

/** Parses fields such as `title:string!`, `status:enum=draft,published` and `author:one=people`. */
export function readFields(notations: readonly string[], entity: string): FieldPlans {
  const fields = notations.map((notation) => readField(notation, entity))
  const names = fields.map(({ name }) => name)
  const repeated = names.find((name, index) => names.indexOf(name) !== index)
  if (repeated) throw new StartupError(`Two fields are called '${repeated}'.`)
  return {
    attributes: fields.filter((field): field is AttributePlan => 'kind' in field),
    relations: fields.filter((field): field is RelationPlan => 'target' in field),
  }
}

export function readField(notation: string, entity: string): AttributePlan | RelationPlan {
  const [, name = '', word = '', detail, mark = ''] = /^([^:]*):(\w*)(?:=([^!?]*))?([!?]?)$/.exec(notation) ?? []
  if (!word) throw new StartupError(`'${notation}' is not a field. Examples:\n${fieldForms}`)
  checkFieldName(name)
  if (word === 'one' || word === 'many') return toRelation(name, word, detail, mark)
  const values = word === 'enum' ? readValues(name, detail) : []
  const kind = word === 'enum' ? enumOf(`${entity}${toPascal(pluralize(name))}`, values) : kinds[word]
  if (!kind || (word !== 'enum' && detail !== undefined)) {
    throw new StartupError(
      `'${notation}' has an unknown kind. Kinds: ${Object.keys(kinds).join(', ')}, enum=a,b, one=type, many=type.`,
    )
  }
  const presence = ({ '!': 'required', '?': 'nullable' } as const)[mark] ?? 'default'
  if (presence === 'default' && !kind.default) {
    throw new StartupError(`'${notation}' needs a mark: '${notation}!' is required, '${notation}?' is nullable.`)
  }
  return { name, kind, presence, values }
}

function toRelation(name: string, word: 'one' | 'many', target: string | undefined, mark: string): RelationPlan {
  if (!target) throw new StartupError(`'${name}:${word}' needs a related type, as in '${name}:${word}=people'.`)
  if (name === 'relationships') throw new StartupError(`A relation cannot be called '${name}': the word is reserved.`)
  if (word === 'many' && mark) throw new StartupError(`'${name}' may be empty; leave the '${mark}' out.`)
  return { name, toMany: word === 'many', target, isRequired: mark === '!' }
}

function readValues(name: string, detail = ''): string[] {
  const values = detail.split(',').map((value) => value.trim())
  const isValid = values.every((value) => /^[\w .-]+$/.test(value)) && new Set(values).size === values.length
  if (!isValid) throw new StartupError(`'${name}:enum' needs its values, each once: '${name}:enum=draft,published'.`)
  return values
}

/** The constant with the values of an enum, exported beside the entity. */
function enumOf(list: string, values: readonly string[]): Kind {
  return {
    property: `enum(${list})`,
    list,
    word: 'string',
    rules: `.enum(${list})`,
    default: `default('${values[0]}')`,
    sample: () => values.at(-1),
  }
}
