import { defineEntity, p } from '@mikro-orm/core'
import { expect } from 'chai'
import { defineResource } from '#kernel'
import { openDatabase } from '#store/connection/open.ts'
import { StartupError } from '#store/connection/startup-error.ts'
import type { Database } from '#store/connection/types.ts'
import { startApp, type TestApp } from '#test/support/app.ts'
import { openTestDatabase, type TestDatabase } from '#test/support/database.ts'

// A database or a role may have other defaults of the settings that decide how values are written as texts.

const defaults = {
  timezone: 'America/New_York',
  datestyle: 'German, DMY',
  intervalstyle: 'iso_8601',
  extra_float_digits: '-15',
  bytea_output: 'escape',
  standard_conforming_strings: 'off',
}

const schema = defineEntity({
  name: 'Visit',
  tableName: 'visits',
  properties: {
    id: p.integer().primary().autoincrement(),
    day: p.date(),
    at: p.datetime(),
    local: p.datetime().columnType('timestamp'),
    span: p.interval(),
    length: p.double(),
    note: p.text(),
  },
})
class Visit extends schema.class {}
schema.setClass(Visit)

const visits = defineResource(Visit, {
  type: 'visits',
  policy: 'open',
  fields: ({ id, date, dateTime, string, decimal }) => [
    id(),
    date('day'),
    dateTime('at').sortable(),
    dateTime('local'),
    string('span'),
    decimal('length'),
    string('note'),
  ],
})

const attributes = {
  day: '2026-10-02',
  at: '2026-10-02T23:30:00.5+00:00',
  local: '2026-10-02T23:30:00+00:00',
  span: '1 day 02:00:00',
  length: 0.1234567890123456,
  note: "a \\' b",
}
const shown = { ...attributes, at: '2026-10-02T23:30:00.500+00:00' }

describe('A database whose defaults show values in other forms', () => {
  let empty: TestDatabase
  let database: Database
  let app: TestApp

  before(async function () {
    // The embedded database has no defaults of a role; a pooler configures its sessions itself.
    if (!process.env.DATABASE_URL || process.env.DATABASE_POOLER) this.skip()
    const options = { entities: [Visit], migrations: [] }
    empty = await openTestDatabase(options)
    const { databaseUrl } = empty
    const name = new URL(databaseUrl as string).pathname.slice(1)
    for (const [setting, value] of Object.entries(defaults))
      await empty.orm.em.getConnection().execute(`alter database ${name} set ${setting} = '${value}'`)
    await empty.orm.schema.create()
    database = await openDatabase({ ...options, databaseUrl, dataDir: null })
    const resources = [{ file: 'test/template/store/columns/session-settings.test.ts', resource: visits }]
    app = await startApp({ database, resources })
  })
  after(async () => {
    await app?.close()
    await database?.close()
    await empty?.close()
  })

  it('is read and written in the forms of the service', async () => {
    const created = await app.client.post('/visits', { data: { type: 'visits', attributes } })
    expect(created.status, created.text).to.equal(201)
    const { body, text } = await app.client.get('/visits?sort=at')
    expect(body.data?.[0].attributes, text).to.deep.equal(shown)
  })

  it('is a startup error behind a pooler that does not set the forms', async () => {
    const { databaseUrl } = empty
    const options = { entities: [], migrations: [], databaseUrl, dataDir: null }
    const opening = openDatabase({ ...options, databasePooler: 'transaction' })
    const error = await opening.then(
      ({ close }) => close(),
      (reason) => reason,
    )
    expect(error).to.be.instanceOf(StartupError)
    expect(error.message)
      .to.include('intervalstyle = iso_8601')
      .and.to.include("set_config('intervalstyle', 'postgres', false)")
  })
})
