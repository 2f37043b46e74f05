// Runs in the browser after the viewer. It is a separate file, so that the page needs no inline script.

const target = document.querySelector("#reference");
const absolute = (link) => new URL(link, location.href).href;

window.Scalar.createApiReference(target, {
  url: absolute(target.dataset.document),
  // Resolved relative to the page, so that requests keep the path prefix that a proxy has put in front of the application.
  servers: [{ url: absolute(target.dataset.root).replace(/\/$/, "") }],
  // Middleware decides which credentials an API needs, and the document does not describe middleware. So the user can always enter a token,
  // and can add other schemes.
  authentication: {
    createAnySecurityScheme: true,
    preferredSecurityScheme: "bearer",
    securitySchemes: { bearer: { type: "http", scheme: "bearer" } },
  },
  // Properties stay in the order of the type declarations.
  orderSchemaPropertiesBy: "preserve",
  orderRequiredPropertiesFirst: false,
  // Disables all features that load from, link to or report to the vendor of the viewer.
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
