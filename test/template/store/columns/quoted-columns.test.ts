import { defineEntity, type EntityName, p } from '@mikro-orm/core'
import { expect } from 'chai'
import { plugins } from '#app/plugins.ts'
import { defineResource } from '#kernel'
import { addSteps, type Plugin } from '#kernel/plugin'
import { open } from '#plugins/authorization/index.ts'
import { startApp, type TestApp } from '#test/support/app.ts'
import { openTestDatabase, type TestDatabase } from '#test/support/database.ts'

// Columns whose names PostgreSQL quotes in the details of its errors: capital letters, keywords, spaces, commas and quotes.

const id = '00000000-0000-4000-8000-000000000001'

const memberSchema = defineEntity({
  name: 'Member',
  tableName: 'members',
  properties: {
    id: p.uuid().primary().fieldName('memberId'),
    email: p.text().unique().fieldName('emailAddress').nullable(),
    order: p.integer().unique().nullable(),
    nickname: p.text().fieldName('known as, "nickname"').nullable(),
    town: p.text().fieldName('homeTown').nullable(),
    groups: () =>
      p
        .manyToMany(Group)
        .owner()
        .pivotEntity((): EntityName => Membership),
  },
})
class Member extends memberSchema.class {}
memberSchema.setClass(Member)

const groupSchema = defineEntity({
  name: 'Group',
  tableName: 'groups',
  properties: { id: p.integer().primary(), members: () => p.manyToMany(Member).mappedBy('groups') },
})
class Group extends groupSchema.class {}
groupSchema.setClass(Group)

const membershipSchema = defineEntity({
  name: 'Membership',
  tableName: 'memberships',
  uniques: [{ properties: ['member', 'group'] }],
  properties: {
    id: p.integer().primary().autoincrement(),
    member: () => p.manyToOne(Member).ref().joinColumn('memberId'),
    group: () => p.manyToOne(Group).ref().joinColumn('groupId'),
    rank: p.integer().default(1),
  },
})
class Membership extends membershipSchema.class {}
membershipSchema.setClass(Membership)

const members = defineResource(Member, {
  type: 'members',
  fields: ({ id, string, integer, belongsToMany }) => [
    id().uuid().allowClientId().generated(),
    string('email').nullable(),
    integer('order').nullable(),
    string('nickname').nullable(),
    string('town').nullable(),
    belongsToMany('groups', 'groups')
      .through(Membership)
      .fields(({ integer }) => [integer('rank')]),
  ],
  policy: open,
})
const groups = defineResource(Group, { type: 'groups', fields: ({ id }) => [id()], policy: open })
const resources = [members, groups].map((resource) => ({
  file: 'test/template/store/columns/quoted-columns.test.ts',
  resource,
}))

/** Inserts the row of a membership before the first statement that inserts it, as a concurrent request does. */
const concurrentInsert = [
  'create sequence attempts',
  `create function insert_first() returns trigger language plpgsql as $$ begin
    if nextval('attempts') = 1 then
      insert into memberships ("memberId", "groupId") values (new."memberId", new."groupId");
    end if;
    return new;
  end $$`,
  'create trigger insert_first before insert on memberships for each row execute function insert_first()',
]

const observed: Plugin = {
  name: 'observed',
  plan: addSteps({
    beforeSave() {},
  }),
}

for (const [path, list] of [
  ['fast', plugins],
  ['regular', [...plugins, observed]],
] as const) {
  describe(`A violation of constraints of columns with quoted names, on the ${path} path`, () => {
    let database: TestDatabase
    let app: TestApp
    const execute = (sql: string) => database.orm.em.getConnection().execute(sql)

    before(async () => {
      database = await openTestDatabase({ entities: [Member, Group, Membership], migrations: [] })
      await database.orm.schema.create()
      await execute('create unique index on members ("known as, ""nickname""")')
      await execute(`alter table members alter "homeTown" set default '', alter "homeTown" set not null`)
      await execute('insert into groups (id) values (1)')
      await execute(`insert into members values ('${id}', 'ada@example.org', 1, E'Ada\\nLovelace')`)
      app = await startApp({ database, resources, plugins: list, onWrite: () => {} })
    })
    after(async () => {
      await app.close()
      await database.close()
    })

    const create = (attributes: object, own?: string) =>
      app.client.post('/members', { data: { type: 'members', ...(own && { id: own }), attributes } })

    for (const [name, value] of Object.entries({ email: 'ada@example.org', order: 1, nickname: 'Ada\nLovelace' })) {
      it(`returns 409 with a pointer to the attribute when a unique value exists: ${name}`, async () => {
        const { status, body } = await create({ [name]: value })
        expect(status).to.equal(409)
        expect(body.errors).to.have.length(1)
        expect(body.errors[0]).to.deep.include({
          code: 'CONFLICT',
          detail: `The value of ${name} is already taken.`,
          source: { pointer: `/data/attributes/${name}` },
        })
      })
    }

    it('returns 409 with a pointer to the id when a client-generated id exists', async () => {
      const { body } = await create({ email: 'eve@example.org' }, id)
      expect(body.errors[0]).to.deep.include({
        status: '409',
        code: 'CLIENT_GENERATED_ID_ALREADY_EXISTS',
        source: { pointer: '/data/id' },
      })
    })

    it('returns 422 with the name of the attribute when a NOT NULL column has no value', async () => {
      const { body } = await create({ town: null })
      expect(body.errors[0]).to.include({ code: 'VALIDATION_FAILED', detail: 'A value for town is required.' })
    })

    it('is retried when a concurrent request has inserted the row of the same pair', async () => {
      for (const statement of concurrentInsert) await execute(statement)
      const data = [{ type: 'groups', id: '1', meta: { pivot: { rank: 7 } } }]
      const { status, text } = await app.client.post(`/members/${id}/relationships/groups`, { data })
      expect(status, text).to.equal(200)
      expect(await execute('select "groupId", rank from memberships')).to.deep.equal([{ groupId: 1, rank: 7 }])
    })
  })
}
