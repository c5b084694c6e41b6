import { createPostgreSqlTypeParsers } from '@mikro-orm/sql'
import { types } from 'pg'
import type { Clock } from '#kernel/store'
import { openPool, type Pool, type PoolOptions } from '../driver/index.ts'
import { beginStatement, beginWait } from '../observers.ts'
import type { DatabaseLimits } from './types.ts'
import { valueSettings } from './value-settings.ts'

const observer = { beginStatement, beginWait }

/** Opens a connection pool whose statements are observed, and whose values have the forms that MikroORM expects. */
export function openServerPool(options: Omit<PoolOptions, 'parsers' | 'observer'>, clock?: Clock): Promise<Pool> {
  return openPool({ ...options, parsers, observer }, clock)
}

/** Leaves a fifth of the connections to reads, also while writes wait for locks. A pool of one connection serves both. */
export function connectionsForWrites(connections: number): number {
  return Math.max(1, connections - Math.ceil(connections / 5))
}

/**
 * Sets the forms of values and the time-outs of a session: `idle_in_transaction_session_timeout` frees the rows that a
 * hanging hook has locked. A statement, because connection poolers refuse these settings as start-up parameters.
 */
export function sessionStatement({ statement, idleTransaction }: DatabaseLimits): string {
  const settings = {
    ...valueSettings,
    statement_timeout: String(statement * 1000),
    idle_in_transaction_session_timeout: String(idleTransaction * 1000),
  }
  const calls = Object.entries(settings).map(([name, value]) => `set_config('${name}', '${value}', false)`)
  return `select ${calls.join(', ')}`
}

const textArray = 1009
const varcharArray = 1015
const parseArray = types.getTypeParser(textArray as number, 'text') as (text: string) => string[]

/** Splits an array of texts without quotes, nulls and nested arrays; leaves others to pg's slower parser. */
function parseTextArray(text: string): string[] {
  const items = text.slice(1, -1)
  if (/["\\{}]|NULL/.test(items)) return parseArray(text)
  return items === '' ? [] : items.split(',')
}

/** The parsers of types by OID that differ from those of `pg`. */
const parsers: PoolOptions['parsers'] = {
  ...createPostgreSqlTypeParsers(parseArray), // times and intervals stay texts, as MikroORM expects them
  [textArray]: parseTextArray,
  [varcharArray]: parseTextArray,
}
