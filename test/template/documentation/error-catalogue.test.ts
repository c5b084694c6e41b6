import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { errorCatalogue } from '#app/kernel/boot/error-catalogue.ts'
import { plugins } from '#app/plugins.ts'
import { httpErrors } from '#http'
import { de } from '#plugins/error-mapping/index.ts'
import { root } from '#test/support/app.ts'
import { catalogue } from '#test/support/catalogue.ts'
import { isShipped, shippedPlugins } from '#test/template/support/shipped.ts'
import { errorsMarkdown } from '../../../scripts/support/errors-markdown.ts'

const definitions = errorCatalogue([{ errors: httpErrors }, ...plugins])
/** The texts of errors of other plugins are up to their project. */
const shipped = errorCatalogue([{ errors: httpErrors }, ...shippedPlugins])

describe('Error catalogue', () => {
  it('defines every code once', () => {
    const codes = definitions.map(({ code }) => code)
    expect(codes.filter((code, index) => codes.indexOf(code) !== index)).to.deep.equal([])
  })

  it('explains every code, with an example that fills all placeholders', () => {
    for (const { code, detail, documentation } of shipped) {
      expect(documentation?.when, code).to.match(/^[A-Z`].+\.$/)
      const example = Object.keys(documentation?.example ?? {})
      expect(example.map((name) => `{${name}}`).toSorted(), code).to.deep.equal(listPlaceholders(detail))
    }
  })

  it('equals docs/errors.md (npm run docs -- errors)', () => {
    expect(readFileSync(join(root, 'docs/errors.md'), 'utf8')).to.equal(errorsMarkdown(definitions))
  })

  it('is served as a page with an entry for every code, which errors link to', async () => {
    const { client } = await catalogue()
    const page = await client.get('/errors', { accept: 'text/html' })
    expect(page.status).to.equal(200)
    expect(page.headers.get('content-type')).to.equal('text/html; charset=utf-8')
    for (const { code } of definitions) expect(page.text).to.include(`id="${code}"`)
    const { body } = await client.get('/albums/4711')
    expect(body.errors[0].links).to.deep.equal({ type: `${client.url}/errors#RESOURCE_NOT_FOUND` })
    const named = await client.get('/admin/albums/4711')
    expect(named.body.errors[0].links.type).to.equal(`${client.url}/errors#RESOURCE_NOT_FOUND`)
  })

  it('has a German title and detail for every code, with the same placeholders', () => {
    for (const { code, detail } of shipped) {
      const words = de[code]
      expect(words?.title, code).to.be.a('string').that.is.not.empty
      expect(words?.detail, code).to.be.a('string').that.is.not.empty
      expect(listPlaceholders(detail), code).to.include.members(listPlaceholders(words?.detail ?? ''))
    }
  })

  it('has a German translation of every phrase in details', () => {
    const phrases = sourceFiles().flatMap((file) => {
      const matches = readFileSync(file, 'utf8').matchAll(/\b(?:phrase|invalid)\(\s*(?:'([^'\n]+)'|"([^"\n]+)")/g)
      return [...matches].map(([, single, double]) => (single ?? double) as string)
    })
    expect(phrases).to.include("'{name}' is required.").and.include('it is empty')
    for (const phrase of phrases) {
      expect(de[phrase]?.detail, phrase).to.be.a('string').that.is.not.empty
      expect(listPlaceholders(phrase), phrase).to.include.members(listPlaceholders(de[phrase]?.detail ?? ''))
    }
  })

  it('returns German details when Accept-Language is de', async () => {
    const { client } = await catalogue()
    const german = { 'accept-language': 'de' }
    const detailsOf = async (body: unknown) => {
      const response = await client.post('/albums', body, german)
      expect(response.headers.get('content-language')).to.equal('de')
      return response.body.errors.map(({ detail }: { detail: string }) => detail)
    }
    expect(await detailsOf('{,')).to.deep.equal([
      'Der Inhalt der Anfrage ist kein gültiges JSON: die Syntax ist in Zeile 1, Spalte 2 ungültig.',
    ])
    expect(await detailsOf({ data: { type: 'albums', attributes: { title: '', status: 'lost' } } })).to.deep.equal([
      '„title“ darf nicht leer sein.',
      '„status“ muss eines davon sein: upcoming, released, withdrawn.',
    ])
    expect(await detailsOf({ data: { type: 'albums', attributes: { title: 'x'.repeat(201) } } })).to.deep.equal([
      '„title“ darf höchstens 200 Zeichen lang sein.',
    ])
  })
})

/** Returns the source files that throw errors: the application and the plugins of the template. */
function sourceFiles(): string[] {
  return globSync('{app,plugins}/**/*.ts', { cwd: root })
    .filter((file) => isShipped(file) && !file.endsWith('.test.ts') && !file.includes('messages/'))
    .map((file) => join(root, file))
}

function listPlaceholders(template: string): string[] {
  return [...template.matchAll(/\{\w+\}/g)].map(String).toSorted()
}
