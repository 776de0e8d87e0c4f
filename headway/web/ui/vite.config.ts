import { defineConfig } from 'vite';

// One folder of files whose names are made of their content: the server lets browsers keep them for ever.
export default defineConfig({
  base: '/assets/',
  build: {
    outDir: '../assets',
    assetsDir: '',
    emptyOutDir: true,
    target: 'es2022',
    modulePreload: { polyfill: false },
    cssMinify: 'lightningcss',
  },
});
