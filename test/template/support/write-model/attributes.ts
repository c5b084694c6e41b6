import type { RandomSource } from '#test/conformance/random.ts'
import type { TypeName } from './relations.ts'
import type { State } from './state.ts'

export interface DrawnAttributes {
  /** As they are sent. */
  readonly attributes: Record<string, unknown>
  /** As they are kept. */
  readonly values: Record<string, unknown>
  readonly faults: number[]
}

interface AttributeModel {
  readonly name: string
  readonly required: boolean
  readonly wrong: readonly unknown[]
  right(draw: RandomSource, unique: string): unknown
}

const text = (name: string, wrong: readonly unknown[]): AttributeModel => ({
  name,
  required: true,
  wrong,
  right: (_draw, unique) => `${name}-${unique}`,
})

const models: Readonly<Record<TypeName, readonly AttributeModel[]>> = {
  shelves: [text('name', ['', null, 7, ['a'], 'nul\u0000'])],
  tags: [text('name', ['', null, true, 'x'.repeat(41)])],
  labels: [text('text', [null, 7, {}])],
  books: [
    text('title', ['', null, {}]),
    {
      name: 'position',
      required: false,
      wrong: [1.5, '3', null, 2_147_483_648],
      right: (draw) => draw.below(1000) - 500,
    },
    {
      name: 'rating',
      required: false,
      wrong: ['8', true, 1000],
      right: (draw) => (draw.chance(30) ? null : draw.below(9999) / 100),
    },
  ],
}

/** Of a new resource all that is required, mostly; of another some. */
export function drawAttributes(
  state: State,
  type: TypeName,
  draw: RandomSource,
  unique: string,
  isNew: boolean,
  id = '',
): DrawnAttributes {
  const drawn: DrawnAttributes = { attributes: {}, values: {}, faults: [] }
  for (const model of models[type]) drawAttribute(model, draw, unique, isNew, drawn)
  if (draw.chance(10)) Object.assign(drawn.attributes, { deletedAt: '2020-01-01T00:00:00Z', nothing: 1 })
  if (type === 'tags' && draw.chance(15)) takeName(state, draw, id, drawn)
  return drawn
}

function drawAttribute(
  model: AttributeModel,
  draw: RandomSource,
  unique: string,
  isNew: boolean,
  drawn: DrawnAttributes,
): void {
  const { name, required, wrong } = model
  if (!draw.chance(isNew && required ? 95 : 50)) {
    if (isNew && required) drawn.faults.push(422)
    return
  }
  const isWrong = draw.chance(10)
  const value = isWrong ? draw.pick(wrong) : model.right(draw, unique)
  drawn.attributes[name] = value
  if (isWrong) drawn.faults.push(422)
  else drawn.values[name] = value
}

/** The name of another tag, of which there is one. */
function takeName(state: State, draw: RandomSource, id: string, drawn: DrawnAttributes): void {
  const others = [...state.tags].filter(([other]) => other !== id)
  if (others.length === 0) return
  const [, { name }] = draw.pick(others)
  drawn.attributes.name = name
  drawn.faults.push(409)
}
