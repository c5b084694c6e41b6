import { defineEntity, p, Type } from '@mikro-orm/core'
import { defineResource } from '#kernel'
import type { DeclaredResource } from '#kernel/plugin'
import { cursor } from '#plugins/pagination/index.ts'

// A table with a column of every type, and one that refers to it by a bigint key, for the limits of the database.

/** Stores the text reversed. */
class Mirrored extends Type<string | null, string | null> {
  override convertToDatabaseValue(value: string | null): string | null {
    return value && [...value].reverse().join('')
  }
  override convertToJSValue(value: string | null): string | null {
    return value && [...value].reverse().join('')
  }
  override getColumnType(): string {
    return 'text'
  }
}

/** Reads and writes through SQL functions. */
class Shouted extends Type<string, string> {
  override convertToDatabaseValueSQL(value: string): string {
    return `lower(${value})`
  }
  override convertToJSValueSQL(column: string): string {
    return `upper(${column})`
  }
  override getColumnType(): string {
    return 'text'
  }
}

const specimenSchema = defineEntity({
  name: 'Specimen',
  tableName: 'specimens',
  properties: {
    id: p.bigint().primary(),
    smallint: p.smallint().nullable(),
    integer: p.integer().nullable(),
    bigint: p.bigint().nullable(),
    bigintNumber: p.bigint('number').nullable(),
    bigintString: p.bigint('string').nullable(),
    real: p.float().nullable(),
    double: p.double().nullable(),
    decimal: p.decimal().precision(20).scale(4).nullable(),
    decimalNumber: p.decimal('number').precision(10).scale(2).nullable(),
    boolean: p.boolean().nullable(),
    text: p.text().nullable(),
    varchar: p.string().length(20).nullable(),
    char: p.character().length(3).nullable(),
    uuid: p.uuid().nullable(),
    date: p.date().nullable(),
    time: p.time(6).nullable(),
    timestamptz: p.datetime(6).nullable(),
    timestamptzSeconds: p.datetime(0).nullable(),
    timestamp: p.datetime().columnType('timestamp(6)').nullable(),
    interval: p.interval().nullable(),
    inet: p.string().columnType('inet').nullable(),
    listed: p.enum(['one', 'two']).nullable(),
    mood: p.enum(['calm', 'Cross']).nativeEnumName('specimen_mood').nullable(),
    json: p.json<unknown>().nullable(),
    texts: p.array().nullable(),
    bytes: p.uint8array().nullable(),
    mirrored: p.type(Mirrored).$type<string>().nullable(),
    shouted: p.type(Shouted).$type<string>().nullable(),
    remembered: p.string().persist(false).nullable(),
    negated: p
      .boolean()
      .formula((columns) => `not ${columns.boolean}`)
      .nullable(),
    samples: () => p.oneToMany(Sample).mappedBy('specimen'),
  },
})
export class Specimen extends specimenSchema.class {}
specimenSchema.setClass(Specimen)

const sampleSchema = defineEntity({
  name: 'Sample',
  tableName: 'samples',
  properties: {
    id: p.bigint('string').primary().autoincrement(),
    name: p.text(),
    specimen: () => p.manyToOne(Specimen).ref().index().deleteRule('restrict'),
  },
})
export class Sample extends sampleSchema.class {}
sampleSchema.setClass(Sample)

const specimens = defineResource(Specimen, {
  type: 'specimens',
  fields: ({ id, string, hasMany }) => [id(), string('text').nullable(), hasMany('samples', 'samples')],
  sorts: Object.fromEntries(sortableColumns().map((name) => [name, name])),
  pagination: () => cursor({ size: 1 }),
  // Reads the record, so that the whole row is selected.
  meta: (record) => ({ columns: Object.keys(record).length }),
})

const samples = defineResource(Sample, {
  type: 'samples',
  fields: ({ id, string, belongsTo }) => [id(), string('name'), belongsTo('specimen', 'specimens')],
})

export const specimenResources: readonly DeclaredResource[] = [specimens, samples].map((resource) => ({
  file: 'test/template/support/library/specimens.ts',
  resource,
}))

/** Returns the columns that PostgreSQL can sort. */
export function sortableColumns() {
  return [
    'smallint',
    'integer',
    'bigint',
    'bigintNumber',
    'bigintString',
    'real',
    'double',
    'decimal',
    'decimalNumber',
    'boolean',
    'text',
    'varchar',
    'char',
    'uuid',
    'date',
    'time',
    'timestamptz',
    'timestamptzSeconds',
    'timestamp',
    'interval',
    'inet',
    'listed',
    'mood',
  ] as const
}
