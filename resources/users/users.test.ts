import { expect } from 'chai'
import { catalogue } from '#test/support/catalogue.ts'
import type { Client } from '#test/support/client.ts'
import { testDatabase } from '#test/support/database.ts'

describe('Users', () => {
  let client: Client
  const attributes = { email: 'bob@example.com', displayName: 'Bob', password: 'secret123' }
  const create = (given: object, relationships?: object) =>
    client.post('/admin/users', { data: { type: 'users', attributes: given, ...(relationships && { relationships }) } })
  const update = (id: string, given: object) =>
    client.patch(`/admin/users/${id}`, { data: { type: 'users', id, attributes: given } })
  const hashOf = async (id: string) => {
    const [row] = await (await testDatabase()).orm.em.fork().execute(`select password_hash from users where id = ${id}`)
    return row?.password_hash
  }

  before(async () => {
    client = (await catalogue()).client
  })

  it('are served by the admin server only', async () => {
    expect((await client.get('/users')).body).to.equal(null)
    expect((await client.get('/admin/users/1')).status).to.equal(200)
  })

  it('return every attribute except the password and its confirmation', async () => {
    const { body } = await client.get('/admin/users/1')
    expect(body.data.attributes).to.deep.equal({
      email: 'ada@example.com',
      displayName: 'Ada',
      birthDate: '1990-12-10',
      preferences: { autoplay: true, theme: 'dark' },
      lastSeenIp: '203.0.113.7',
    })
  })

  it('include their playlists and their library, and return 400 INCLUSION_NOT_ALLOWED for library.owner', async () => {
    const { body } = await client.get('/admin/users/1?include=playlists,library')
    expect(body.data.relationships.playlists.data.map(({ type }: { type: string }) => type)).to.deep.equal([
      'playlists',
    ])
    expect(body.data.relationships.library.data).to.deep.equal({ type: 'libraries', id: '1' })
    expect((await client.get('/admin/users/1/library')).body.data).to.include({ type: 'libraries', id: '1' })
    expect((await client.get('/admin/users/1?include=playlists.owner')).status).to.equal(200)
    const answer = await client.get('/admin/users/1?include=library.owner')
    expect(answer.body.errors[0].code).to.equal('INCLUSION_NOT_ALLOWED')
  })

  it('are returned in pages that are linked by cursors', async () => {
    await create(attributes)
    const first = await client.get('/admin/users?page[size]=1')
    expect(first.headers.get('content-type')).to.contain('profile="https://jsonapi.org/profiles/')
    expect(first.body.data[0].id).to.equal('1')
    const second = await client.get(first.body.links.next)
    expect(second.body.data[0].attributes.email).to.equal('bob@example.com')
  })

  describe('when they are created', () => {
    it('return null or empty values for omitted attributes, and store the password as a hash only', async () => {
      const { status, text, body } = await create({ ...attributes, passwordConfirm: 'secret123' })
      expect(status).to.equal(201)
      expect(text).not.to.match(/password|secret123/)
      expect(body.data.attributes).to.deep.equal({
        email: 'bob@example.com',
        displayName: 'Bob',
        birthDate: null,
        preferences: {},
        lastSeenIp: null,
      })
      expect(await hashOf(body.data.id)).to.match(/^scrypt\$[\w-]{22}\$[\w-]{43}$/)
    })

    it('return the attributes that were sent, with the keys of the preferences sorted', async () => {
      const preferences = { volume: 3, autoplay: false, deep: { b: [1, null], a: 'x' } }
      const given = { birthDate: '2001-02-03', lastSeenIp: '2001:db8::1', preferences }
      const { status, body } = await create({ ...attributes, ...given })
      expect(status).to.equal(201)
      expect(body.data.attributes).to.deep.include(given)
      expect(Object.keys(body.data.attributes.preferences)).to.deep.equal(['autoplay', 'deep', 'volume'])
    })

    it('return 422 for a duplicate e-mail address', async () => {
      const { status, body } = await create({ ...attributes, email: 'ada@example.com' })
      expect(status).to.equal(422)
      expect(body.errors[0].source.pointer).to.equal('/data/attributes/email')
    })

    const wrong: readonly [what: string, given: object, pointer: string][] = [
      ['no password', { password: undefined }, '/data/attributes'],
      ['a short password', { password: 'short' }, '/data/attributes/password'],
      ['another confirmation', { passwordConfirm: 'secret124' }, '/data/attributes/passwordConfirm'],
      ['an address that is none', { email: 'bob' }, '/data/attributes/email'],
      ['an address without a domain', { email: 'bob@localhost' }, '/data/attributes/email'],
      ['no name', { displayName: '' }, '/data/attributes/displayName'],
      ['a day that is none', { birthDate: '2001-02-30' }, '/data/attributes/birthDate'],
      ['an address of no machine', { lastSeenIp: '203.0.113.256' }, '/data/attributes/lastSeenIp'],
      ['preferences without keys', { preferences: ['dark'] }, '/data/attributes/preferences'],
      ['too many preferences', { preferences: { ...Array(21).fill(1) } }, '/data/attributes/preferences'],
    ]
    for (const [what, given, pointer] of wrong) {
      it(`return 422 with a pointer for ${what}`, async () => {
        const { status, body } = await create({ ...attributes, ...given })
        expect(status).to.equal(422)
        expect(body.errors[0].source.pointer).to.equal(pointer)
      })
    }
  })

  describe('when they are updated', () => {
    it('keep the hash when the password is omitted, and store another one when it is sent', async () => {
      await update('1', { password: 'first-secret' })
      const first = await hashOf('1')
      expect((await update('1', { displayName: 'Countess' })).body.data.attributes.displayName).to.equal('Countess')
      expect(await hashOf('1')).to.equal(first)
      await update('1', { password: 'first-secret' })
      expect(await hashOf('1'), 'with another salt').not.to.equal(first)
    })

    it('return 422 when the password confirmation differs', async () => {
      const { status } = await update('1', { password: 'secret123', passwordConfirm: 'secret12' })
      expect(status).to.equal(422)
      expect(await hashOf('1')).to.equal(null)
    })

    it('return 200 when the stored e-mail address is sent again', async () => {
      expect((await update('1', { email: 'ada@example.com' })).status).to.equal(200)
    })
  })

  it('return 409 for DELETE while rows refer to them, and are deleted otherwise', async () => {
    expect((await client.delete('/admin/users/1')).body.errors[0].code).to.equal('CONFLICT')
    const { body } = await create(attributes)
    expect((await client.delete(`/admin/users/${body.data.id}`)).status).to.equal(204)
  })
})
