// Runs in the browser after the viewer. It is a file, and no part of the page, so that the page needs no inline script.

const target = document.querySelector("#reference");
const absolute = (link) => new URL(link, location.href).href;

window.Scalar.createApiReference(target, {
  url: absolute(target.dataset.document),
  // Found from the page, so that requests go through whatever prefix a proxy has put before the application.
  servers: [{ url: absolute(target.dataset.root).replace(/\/$/, "") }],
  // What an API wants to see is decided by middleware, which the document does not describe. So a token can always be given; other
  // schemes can be added.
  authentication: {
    createAnySecurityScheme: true,
    preferredSecurityScheme: "bearer",
    securitySchemes: { bearer: { type: "http", scheme: "bearer" } },
  },
  // As the types declare them.
  orderSchemaPropertiesBy: "preserve",
  orderRequiredPropertiesFirst: false,
  // Off: whatever loads from, leads to or reports to the maker of the viewer.
  withDefaultFonts: false,
  telemetry: false,
  showDeveloperTools: "never",
  hideClientButton: true,
  agent: { disabled: true },
  mcp: { disabled: true },
  proxyUrl: "",
  externalUrls: { dashboardUrl: "", registryUrl: "", proxyUrl: "", apiBaseUrl: "" },
  customCss: 'a[href^="https://www.scalar.com"] { display: none !important; }',
});
