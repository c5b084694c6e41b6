import {
  ArrayType,
  BigIntType,
  type EntityProperty,
  EnumArrayType,
  IntervalType,
  JsonType,
  type Platform,
  Type,
  UuidType,
} from '@mikro-orm/core'
import { StartupError } from '../../connection/startup-error.ts'

/** How a custom type converts the values of an entity for the database. */
export interface StoredForm {
  /** Converts a value of the entity to the form of the column. */
  toStored?(value: unknown): unknown
  /** Wraps a parameter in an SQL function. */
  toStoredSql?(parameter: string): string
}

/** Types whose values need no conversion in a condition. */
const unconverted = [Type, ArrayType, BigIntType, EnumArrayType, IntervalType, UuidType]

/** The conversions of the custom type of a property. Throws a StartupError for a key, which is compared unchanged. */
export function storedForm({ customType, name, primary }: EntityProperty): StoredForm {
  if (!customType) return {}
  const form = createStoredForm(customType, name)
  if (primary && (form.toStored || form.toStoredSql)) {
    throw new StartupError(
      `The key '${name}' of ${customType.meta?.className} has the type ${customType.name}, which converts values. ` +
        'Use a type that stores them unchanged; `id().encodeUsing()` shows them in another form.',
    )
  }
  return form
}

function createStoredForm(type: Type<unknown>, key: string): StoredForm {
  const platform = type.platform as Platform
  const isConverted = unconverted.every(
    ({ prototype: one }) => one.convertToDatabaseValue !== type.convertToDatabaseValue,
  )
  const { convertToDatabaseValueSQL: toSql } = type instanceof JsonType ? {} : type
  return {
    ...(isConverted && {
      toStored: (value) =>
        value === null ? null : type.convertToDatabaseValue(value, platform, { fromQuery: true, key, mode: 'query' }),
    }),
    ...(toSql && { toStoredSql: (parameter) => toSql.call(type, parameter, platform) }),
  }
}
