import { expect } from 'chai'
import { plugins } from '#app/plugins.ts'
import type { ClientResponse } from '#test/support/client.ts'
import { type Recipe, runRecipe, startRecipe } from '../support.ts'
import { sessions } from './plugins/sessions/index.ts'

/** The plugins with sessions in the line of bearer-auth, and without api-keys. */
const listed = plugins.flatMap((plugin) => {
  if (plugin.name === 'bearer-auth') return sessions()
  return plugin.name === 'api-keys' ? [] : plugin
})

describe('docs/how-to/session-cookies.md', () => {
  let recipe: Recipe
  before(async () => {
    recipe = await startRecipe('session-cookies', { plugins: listed })
  })
  after(() => recipe.close())

  const credentials = (email: string, password: string) => ({
    data: { type: 'credentials', attributes: { email, password } },
  })
  const login = (email = 'ada@example.com', password = 'correct horse') =>
    recipe.client.post('/accounts/-actions/login', credentials(email, password))
  const cookieOf = ({ headers }: ClientResponse) => (headers.getSetCookie()[0] ?? '').split(';')[0] as string
  async function open() {
    const response = await login()
    return { cookie: cookieOf(response), 'x-csrf-token': response.body.meta.csrfToken as string }
  }
  const rename = (headers: Record<string, string>) =>
    recipe.client.patch('/accounts/1', { data: { type: 'accounts', id: '1', attributes: { name: 'Ada' } } }, headers)

  it('shows the responses that the application returns', () => runRecipe('session-cookies', recipe))

  it('sets a cookie that scripts, other sites and plain HTTP do not get', async () => {
    const { headers } = await login()
    expect(headers.getSetCookie()).to.have.length(1)
    expect(headers.getSetCookie()[0]).to.match(
      /^__Host-session=[\w-]{43}; Path=\/; HttpOnly; Secure; SameSite=Lax; Max-Age=28800$/,
    )
  })

  it('authenticates by the cookie, and stores its hash only', async () => {
    const { cookie } = await open()
    const { status, body, headers } = await recipe.client.get('/accounts', { cookie })
    expect(status).to.equal(200)
    expect(body.data).to.have.length(1)
    expect(headers.get('vary')).to.include('Cookie')
    const rows = await recipe.database.orm.em.fork().execute('select * from sessions')
    expect(JSON.stringify(rows)).not.to.include(cookie.split('=')[1])
  })

  it('returns 403 CSRF_TOKEN_INVALID for a write without the CSRF token of the session', async () => {
    const { cookie, 'x-csrf-token': token } = await open()
    const { 'x-csrf-token': other } = await open()
    for (const headers of [{ cookie }, { cookie, 'x-csrf-token': '' }, { cookie, 'x-csrf-token': other }]) {
      const { status, body } = await rename(headers)
      expect(status).to.equal(403)
      expect(body.errors[0].code).to.equal('CSRF_TOKEN_INVALID')
    }
    expect((await rename({ cookie, 'x-csrf-token': token })).status).to.equal(200)
  })

  it('returns 403 for a form of another site: an action without input', async () => {
    const { cookie } = await open()
    const headers = { cookie, 'content-type': 'application/x-www-form-urlencoded' }
    const { status } = await recipe.client.send('POST', '/accounts/-actions/logout', { body: 'a=b', headers })
    expect(status).to.equal(403)
    expect((await recipe.client.get('/accounts', { cookie })).status).to.equal(200)
  })

  it('returns the CSRF token again for a page that was loaded again', async () => {
    const { cookie, 'x-csrf-token': token } = await open()
    const { body } = await recipe.client.get('/accounts/-actions/session', { cookie })
    expect(body.meta).to.deep.equal({ identifier: 'ada@example.com', csrfToken: token })
  })

  it('ends the session with logout', async () => {
    const headers = await open()
    const { status, headers: sent } = await recipe.client.send('POST', '/accounts/-actions/logout', { headers })
    expect(status).to.equal(204)
    expect(sent.getSetCookie()[0]).to.match(/^__Host-session=; .*Max-Age=0$/)
    expect((await recipe.client.get('/accounts', headers)).status).to.equal(401)
  })

  it('treats an expired, a revoked and an invented session as anonymous', async () => {
    const { cookie } = await open()
    await recipe.database.orm.em.fork().execute('update sessions set expires_at = now()')
    expect((await recipe.client.get('/accounts', { cookie })).status).to.equal(401)
    for (const invented of ['__Host-session=', '__Host-session=%00', `__Host-session=${'a'.repeat(4000)}`]) {
      expect((await recipe.client.get('/accounts', { cookie: invented })).status).to.equal(401)
    }
  })

  it('returns the same error for a wrong password and an unknown address', async () => {
    const [wrong, unknown] = [await login('ada@example.com', 'x'), await login('eve@example.com', 'x')]
    expect([wrong.status, unknown.status]).to.deep.equal([403, 403])
    expect(unknown.body.errors).to.deep.equal(wrong.body.errors)
    expect(wrong.headers.getSetCookie()).to.deep.equal([])
  })
})
