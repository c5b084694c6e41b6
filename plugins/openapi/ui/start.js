/* global SwaggerUIBundle, SwaggerUIStandalonePreset */

// The page names the documents, because its Content-Security-Policy allows no inline script.
const root = document.getElementById('documentation')

/** Removes the logo, whose inline style the Content-Security-Policy forbids. */
const withoutLogo = () => ({ components: { Logo: () => null } })

/** Parses documents as JSON. Swagger UI parses them as YAML, which takes 0.25 s for 500 kB. */
const jsonParser = () => ({
  statePlugins: {
    spec: {
      wrapActions: {
        parseToJson:
          (_original, { specActions }) =>
          (text) =>
            specActions.updateJsonSpec(JSON.parse(text)),
      },
    },
  },
})

/**
 * Resolves references in the part of the document that is shown. Swagger UI normalizes the whole document for the first
 * view and for each expanded operation, which takes 2 s for 500 kB.
 */
const partialResolver = () => ({
  afterLoad() {
    const { resolveSubtree } = this.fn
    this.fn.resolveSubtree = (document, path, options) => resolveSubtree(extractPart(document, path), path, options)
  },
})

window.ui = SwaggerUIBundle({
  domNode: root,
  urls: JSON.parse(root.dataset.documents),
  layout: 'StandaloneLayout',
  presets: [SwaggerUIBundle.presets.apis, SwaggerUIStandalonePreset],
  plugins: [withoutLogo, jsonParser, partialResolver],
  deepLinking: true,
  displayOperationId: true,
  docExpansion: 'none',
  syntaxHighlight: { activated: false },
  defaultModelsExpandDepth: 0,
  // Keeps the token in the local storage of the browser until it is removed in the dialog.
  persistAuthorization: true,
  // Sends no document to a validator on another host.
  validatorUrl: null,
  queryConfigEnabled: false,
})

/** Returns the document with only the part at the path, and the components that the part refers to. */
function extractPart(document, [section, name]) {
  const components = {}
  const addReferences = (value) => {
    if (typeof value === 'string') addComponent(value)
    else if (value !== null && typeof value === 'object') for (const item of Object.values(value)) addReferences(item)
  }
  const addComponent = (reference) => {
    const [, kind, key] = /^#\/components\/(\w+)\/([^/]+)$/.exec(reference) ?? []
    const component = document.components?.[kind]?.[key]
    if (component === undefined || components[kind]?.[key] !== undefined) return
    components[kind] = { ...components[kind], [key]: component }
    addReferences(component)
  }
  const part = document[section]?.[name]
  addReferences(part)
  const shown = { ...document, paths: {}, components }
  return { ...shown, [section]: { ...shown[section], ...(part !== undefined && { [name]: part }) } }
}
