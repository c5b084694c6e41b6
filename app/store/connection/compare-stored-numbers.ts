import { DecimalType, DoubleType, type EntityMetadata, FloatType } from '@mikro-orm/core'

/**
 * Makes a flush of MikroORM treat a stored NaN as unchanged. Its types compare numbers with `!==`, which would write NaN
 * back with each change of the row.
 */
export function compareStoredNumbers(storage: { getAll(): ReadonlyMap<unknown, EntityMetadata> }): void {
  const types = [...storage.getAll().values()].flatMap(({ props }) =>
    props.flatMap(({ customType }) => customType ?? []),
  )
  for (const type of new Set(types)) {
    if (!numberTypes.some((numberType) => type instanceof numberType)) continue
    const compare = type.compareValues?.bind(type) ?? ((one: unknown, other: unknown) => one === other)
    type.compareValues = (one: unknown, other: unknown) => (isNaNValue(one) && isNaNValue(other)) || compare(one, other)
  }
}

const numberTypes = [DecimalType, DoubleType, FloatType]

/** Types of numbers that are read as texts have NaN as a text. */
function isNaNValue(value: unknown): boolean {
  return Number.isNaN(value) || value === 'NaN'
}
