run-name-invalid = Ajon nimen on alettava kirjaimella tai numerolla, ja siinä saa olla vain kirjaimia, numeroita, pisteitä, yhdysmerkkejä ja alaviivoja: ”{ $name }” ei kelpaa.
    .next = Anna toinen nimi valitsimella --name.
run-exists = Ajon nimen on oltava uusi: kansiossa { $root } on jo ajo ”{ $name }”.
    .next = Jatka sitä valitsimella --resume tai anna toinen nimi valitsimella --name.
run-unknown = Vain olemassa olevan ajon voi avata: kansiossa { $root } ei ole ajoa ”{ $name }”.
    .next = { $known ->
        [none] Käynnistä ajo komennolla `headway train RECIPE`.
       *[other] { $closest ->
            [none] Tunnetut ajot: { $known }.
           *[other] Tarkoititko ”{ $closest }”? Tunnetut ajot: { $known }.
        }
    }
run-unwritable = Ajon kansioon on voitava kirjoittaa: kirjoitus kohteeseen { $path } epäonnistui ({ $reason }).
    .next = Tarkista käyttöoikeudet ja vapaa tila tai valitse toinen kansio valitsimella --runs.
run-locked = Ajo kuuluu yhdelle prosessille kerrallaan: toinen prosessi kouluttaa ajoa ”{ $name }”.
    .next = Odota, pysäytä se tai käynnistä ajo toisella nimellä.
run-file-damaged = Ajon tiedostojen on oltava luettavissa: { $path } ei ole ({ $reason }).
    .next = Palauta tiedosto kopiosta tai käynnistä uusi ajo.
run-recipe-changed = Jatkettavan ajon reseptin on pysyttävä samana: ajon ”{ $name }” alun jälkeen ovat muuttuneet: { $sections }.
    .next = Kumoa muutos tai käynnistä uusi ajo ilman valitsinta --resume.
run-steps-done = Jatkettava ajo ei voi päättyä ennen jo tehtyjä askelia: ”{ $name }” on tehnyt { $done }, ja resepti pyytää { $steps }.
    .next = Aseta training.steps arvoon { $done } tai suuremmaksi, tai käynnistä uusi ajo ilman valitsinta --resume.
run-data-changed = Jatkettavan ajon tekstin on pysyttävä samana: kohdan [data] tiedostojen sisältö on muuttunut ajon ”{ $name }” alun jälkeen.
    .next = Palauta teksti tai käynnistä uusi ajo ilman valitsinta --resume.
run-nothing-to-resume = Vain olemassa olevaa ajoa voi jatkaa: kansiossa { $root } ei ole ajoa reseptille ”{ $name }”.
    .next = Käynnistä se ilman valitsinta --resume.
run-base-changed = Ajon on jatkuttava samoilla painoilla, joilla se alkoi: kansion { $folder } painot eivät ole ne, joille ajon ”{ $name }” adapterit on tehty.
    .next = Palauta aiemmat painot sinne tai käynnistä uusi ajo.
run-output-exists = Malli kirjoitetaan uuteen kansioon, jottei mitään korvata: { $path } on jo olemassa.
    .next = Anna toinen kansio valitsimella --output tai siirrä nykyinen pois.
run-output-unwritable = Malli kirjoitetaan kansioon, joka voidaan luoda: kansiota { $path } ei voitu luoda ({ $reason }).
    .next = Anna toinen kansio valitsimella --output tai tee sinne tilaa.
run-no-checkpoint = Ajolla on oltava tarkistuspiste: ajolla ”{ $name }” ei vielä ole.
    .next = Odota ensimmäistä tarkistuspistettä tai jatka koulutusta valitsimella --resume.
run-no-best = Paras tarkistuspiste on se, jolla on pienin validointihäviö, eikä ajolla { $name } ole arvioituja tarkistuspisteitä.
    .next = Käytä uusinta tai kouluta asetuksilla training.evaluate_every_steps ja resilience.keep_best.
run-step-twice = Tarkistuspiste valitaan kerran: askeleen { $step } tai paras.
    .next = Jätä pois --step tai --best.
run-no-such-step = Tarkistuspisteen on kuuluttava ajoon: ajolla ”{ $name }” ei ole askeleen { NUMBER($step, useGrouping: 0) } tarkistuspistettä.
    .next = { $known ->
        [none] Sillä ei ole vielä yhtään; odota ensimmäistä tai jatka koulutusta valitsimella --resume.
       *[other] Sillä on tarkistuspisteet askeleilta { $known }.
    }
run-checkpoints-gone = Ajolla on oltava tarkistuspiste: ajon ”{ $name }” tallentamia ei enää ole.
    .next = Palauta ne kopiosta tai kouluta alusta valitsimella --resume.
run-no-metrics = Ajon on oltava kouluttanut ainakin yhden askeleen: ”{ $name }” ei ole vielä.
    .next = Käynnistä se tai jatka sitä ensin.
run-plot-format = Kuvan tiedostonimessä on oltava jokin näistä päätteistä: { $known }; nimessä { $path } ei ole.
    .next = Anna nimi, esimerkiksi loss.png.
run-plot-missing = Kuvat tarvitsevat paketin { $package }, jota ei ole asennettu.
    .next = Suorita Headwayn lähdekoodin kansiossa `pip install ".[torch]"`.
run-plot-loss = häviö (natia tokenia kohti)
run-plot-speed = tokenia sekunnissa
run-plot-step = optimoijan askel
run-plot-validation = { $name }, validointi
run-no-scheduler = Työ annetaan jonoon ajastimen omalla ohjelmalla: ohjelmaa { $program } ei voitu käynnistää ({ $reason }).
    .next = Kirjoita työ valitsimella --output ja anna se jonoon koneella, johon { $program } on asennettu.
