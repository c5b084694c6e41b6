import { expect } from 'chai'
import { type Declared, defineResource } from '#kernel'
import { BootError } from '#kernel/plugin'
import { validation } from '#plugins/validation/index.ts'
import { buildApp } from '#test/support/app.ts'
import { Label, Shelf } from '#test/template/support/library/entities.ts'
import { libraryDatabase } from '#test/template/support/library/index.ts'
import { describeApp, openapi } from '../index.ts'

// biome-ignore lint/suspicious/noExplicitAny: fields and documents of these tests are untyped
type Part = any

describe('Examples of requests', () => {
  const shelves = defineResource(Shelf, { type: 'shelves', exampleId: '7', fields: ({ id }) => [id()] })

  /** Returns the examples of the create and the update of a type with these fields. */
  async function describeExamples(fields: (builders: Part) => readonly Declared[], keys: object = {}) {
    const labels = defineResource(Label, { type: 'labels', fields, ...keys } as Part)
    const resources = [labels, shelves].map((resource) => ({ file: 'labels.ts', resource }))
    const database = await libraryDatabase()
    const app = await buildApp({ plugins: [validation(), openapi()], resources, database })
    const paths: Part = describeApp(app, {}).get('default')?.paths
    await app.close()
    const example = (operation: Part) => operation.requestBody.content['application/vnd.api+json'].example
    return { create: example(paths['/labels'].post), update: example(paths['/labels/{id}'].patch), paths }
  }

  it('contain required attributes, and others that have an example', async () => {
    const { create, update } = await describeExamples(({ id, string, integer, boolean, obj, arrayList }) => [
      id(),
      string('text').required().minLength(10).maxLength(12),
      integer('size').computed().required().min(5),
      integer('step').computed().required().multipleOf(4).max(9),
      string('mood').computed().required().enum(['calm', 'cross']),
      arrayList('tags')
        .computed()
        .required()
        .each((item: Part) => item.minLength(1)),
      obj('box', string('name').required(), boolean('open')).computed().required(),
      string('note').computed(),
      string('hint').computed().example('Top left'),
    ])
    const attributes = {
      text: 'ExampleExa',
      size: 5,
      step: 4,
      mood: 'calm',
      tags: ['Example'],
      box: { name: 'Example' },
      hint: 'Top left',
    }
    expect(create).to.deep.equal({ data: { type: 'labels', attributes } })
    expect(update.data.attributes).to.deep.equal({ hint: 'Top left' })
  })

  it('contain a value in the format of each kind of attribute', async () => {
    const { create } = await describeExamples((f) => [
      f.id(),
      ...['email', 'url', 'uuid', 'slug', 'ip', 'dateTime', 'date', 'time', 'decimal', 'boolean'].map((kind) =>
        f[kind](kind).computed().required(),
      ),
    ])
    expect(create.data.attributes).to.deep.equal({
      email: 'name@example.com',
      url: 'https://example.com',
      uuid: '00000000-0000-4000-8000-000000000001',
      slug: 'example',
      ip: '203.0.113.7',
      dateTime: '2024-01-15T10:00:00Z',
      date: '2024-01-15',
      time: '10:00:00',
      decimal: 1,
      boolean: true,
    })
  })

  it('contain required relations, and others that have an example', async () => {
    const required = await describeExamples(({ id, belongsTo }) => [id(), belongsTo('shelf', 'shelves').required()])
    expect(required.create.data.relationships).to.deep.equal({ shelf: { data: { type: 'shelves', id: '7' } } })
    const shown = await describeExamples(({ id, belongsTo }) => [
      id(),
      belongsTo('shelf', 'shelves').example({ type: 'shelves', id: '2' }),
    ])
    expect(shown.create.data.relationships).to.deep.equal({ shelf: { data: { type: 'shelves', id: '2' } } })
    const optional = await describeExamples(({ id, belongsTo }) => [id(), belongsTo('shelf', 'shelves')])
    expect(optional.create).to.deep.equal({ data: { type: 'labels' } })
  })

  it('are absent when a required value has a pattern and no example', async () => {
    const { create, update } = await describeExamples(({ id, string }) => [
      id(),
      string('text')
        .required()
        .pattern(/^X-\d+$/),
    ])
    expect(create).to.equal(undefined)
    expect(update).to.deep.equal({ data: { type: 'labels', id: '1' } })
    const declared = await describeExamples(({ id, string }) => [
      id(),
      string('text')
        .required()
        .pattern(/^X-\d+$/)
        .example('X-1'),
    ])
    expect(declared.create.data.attributes).to.deep.equal({ text: 'X-1' })
  })

  it('of an update contain the first attribute when none has an example', async () => {
    const { update } = await describeExamples(({ id, string }) => [id(), string('text'), string('note').computed()], {
      exampleId: '3',
    })
    expect(update).to.deep.equal({ data: { type: 'labels', id: '3', attributes: { text: 'Example' } } })
  })

  it('contain the id only when the client must choose it', async () => {
    const fields = (clientId: string) => (f: Part) => [f.id()[clientId](), f.string('text')]
    const keys = { exampleId: '3' }
    expect((await describeExamples(fields('requireClientId'), keys)).create.data.id).to.equal('3')
    expect((await describeExamples(fields('allowClientId'), keys)).create.data).not.to.have.property('id')
  })

  it('use exampleId for the path parameter, which has no example without it', async () => {
    const { paths } = await describeExamples(({ id }) => [id()])
    expect(paths['/shelves/{id}'].parameters[0].example).to.equal('7')
    expect(paths['/labels/{id}'].parameters[0]).not.to.have.property('example')
  })

  it('fail at boot when exampleId is not an id of the type', async () => {
    const labels = defineResource(Label, { type: 'labels', exampleId: 'x', fields: ({ id }) => [id().numeric()] })
    const error = await buildApp({
      plugins: [openapi()],
      resources: [{ file: 'labels.ts', resource: labels }],
      database: await libraryDatabase(),
    }).catch((thrown) => thrown)
    expect(error).to.be.instanceOf(BootError)
    expect(error.message).to.equal("labels.exampleId (labels.ts): 'x' is not an id of the type.")
  })
})
