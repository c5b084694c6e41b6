import { expect } from 'chai'
import { defineResource, type ResourceDeclaration } from '#kernel'
import { statementsOf } from '#test/support/statements.ts'
import { Book } from '#test/template/support/library/entities.ts'
import { emptyLibrary, libraryDatabase, startLibrary } from '#test/template/support/library/index.ts'

type Fields = ResourceDeclaration<Book>['fields']

/** Rules that decide by the sent values alone. */
const ofInput: Readonly<Record<string, Fields>> = {
  'required() and requiredOnCreate()': ({ id, string, integer }) => [
    id(),
    string('title').required(),
    integer('position').requiredOnCreate(),
  ],
  'limits, formats and listed values': ({ id, string, integer }) => [
    id(),
    string('title').maxLength(20).pattern(/^E/),
    integer('position').min(0).notIn([7]),
  ],
  'rules inside onUpdate() and when()': ({ id, string }) => [
    id(),
    string('title')
      .onUpdate((title) => title.required().minLength(2))
      .when(
        () => true,
        (title) => title.maxLength(20),
      ),
  ],
  'rule(), requiredOnUpdate() and compareWith() inside onCreate()': ({ id, string, integer }) => [
    id(),
    string('title').onCreate((title) => title.rule(() => 'No.')),
    integer('position').onCreate((position) => position.requiredOnUpdate().compareWith('rating', 'LessThan')),
    integer('rating').nullable(),
  ],
  'requiredOnUpdate() of an attribute that an update cannot write': ({ id, string }) => [
    id(),
    string('title'),
    string('secret').requiredOnUpdate().readOnlyOnUpdate(),
  ],
  'compareWith() of attributes that an update cannot write': ({ id, string, integer }) => [
    id(),
    string('title'),
    integer('position').compareWith('rating', 'LessThan').readOnlyOnUpdate(),
    integer('rating').readOnly(),
  ],
  'compareWith() of write-only attributes, whose stored values are never compared': ({ id, string, integer }) => [
    id(),
    string('title'),
    integer('position').compareWith('rating', 'LessThan').writeOnly(),
    integer('rating').nullable().writeOnly(),
  ],
}

/** Rules that compare with stored values, or call a function for rows that exist. */
const ofRow: Readonly<Record<string, Fields>> = {
  'requiredOnUpdate()': ({ id, string }) => [id(), string('title'), string('secret').nullable().requiredOnUpdate()],
  'requiredOnUpdate() inside when()': ({ id, string }) => [
    id(),
    string('title'),
    string('secret').when(
      () => false,
      (secret) => secret.requiredOnUpdate(),
    ),
  ],
  'compareWith() of an attribute that was not sent': ({ id, string, integer }) => [
    id(),
    string('title'),
    integer('position').compareWith('rating', 'LessThan'),
    integer('rating').nullable(),
  ],
  'compareWith() of a read-only attribute': ({ id, string, integer }) => [
    id(),
    string('title'),
    integer('position').compareWith('rating', 'LessThan'),
    integer('rating').readOnly(),
  ],
  'rule()': ({ id, string }) => [id(), string('title').rule(() => undefined)],
}

describe('PATCH of a type with rules', () => {
  beforeEach(async () => {
    await emptyLibrary()
    const connection = (await libraryDatabase()).orm.em.getConnection()
    await connection.execute("insert into books (id, title, position, secret) values (1, 'Emma', 1, 'x')")
  })
  after(emptyLibrary)

  /** Returns the status of an update of the title, and the verb of its first statement. */
  const patch = async (fields: Fields, id: string) => {
    const resource = defineResource(Book, { type: 'books', fields })
    const { client, close } = await startLibrary({ resources: [{ file: 'stored-row.test.ts', resource }] })
    const document = { data: { type: 'books', id, attributes: { title: 'Emma II' } } }
    let status = 0
    const [first] = await statementsOf(async () => {
      status = (await client.patch(`/books/${id}`, document)).status
    })
    await close()
    return [status, first?.sql.split(' ')[0]]
  }

  for (const [rules, fields] of Object.entries(ofInput)) {
    it(`does not read the row before it is written: ${rules}`, async () => {
      expect(await patch(fields, '1')).to.deep.equal([200, 'update'])
    })
  }
  for (const [rules, fields] of Object.entries(ofRow)) {
    it(`reads the row before it is written: ${rules}`, async () => {
      expect(await patch(fields, '1')).to.deep.equal([200, 'select'])
    })
  }

  it('returns 404 without a call of rule() when the row is missing', async () => {
    const called: unknown[] = []
    const fields: Fields = ({ id, string }) => [id(), string('title').rule((title) => void called.push(title))]
    expect((await patch(fields, '2'))[0]).to.equal(404)
    expect(called).to.deep.equal([])
  })
})
