"""Tables made from microdata, and how to make them safe."""
